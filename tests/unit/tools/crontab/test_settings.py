import pytest
from hypothesis import given
from hypothesis import strategies as st

from minutehand.tools.crontab.lines import read_setting, setting_fault, write_setting


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("MAILTO=ops@example.com", "MAILTO", "ops@example.com"),
        ("  MAILTO \t= \t ops@example.com  ", "MAILTO", "ops@example.com"),
        ('MAILTO=""', "MAILTO", ""),
        ("A=''", "A", ""),
        ("A='  b '  ", "A", "  b "),
        ('A="it\'s"', "A", "it's"),
        ("A=b \"c\" 'd' # no comment", "A", "b \"c\" 'd' # no comment"),
        ("PATH=$HOME/bin:/usr/bin", "PATH", "$HOME/bin:/usr/bin"),
        ("A=b=c", "A", "b=c"),
        ('"A B" = c', "A B", "c"),
        ("'A'=c", "A", "c"),
    ],
)
def test_a_variable_is_read_as_cron_reads_it(line: str, name: str, value: str) -> None:
    setting = read_setting(line)
    assert setting is not None
    assert (setting.name, setting.value) == (name, value)
    assert line[setting.column :].startswith(value)


@pytest.mark.parametrize(
    "line", ["* * * * * A=b c", "@daily A=b", "0 5 * * * x", "= b", "# A=b", "A b=c", "'A=b", '"A="b=c']
)
def test_other_lines_are_no_variables(line: str) -> None:
    assert read_setting(line) is None
    assert setting_fault(line) is None or line.startswith(("'", '"'))


@pytest.mark.parametrize(
    ("line", "column", "words"),
    [
        ("MAILTO=", 7, "no value"),
        ("MAILTO =  ", 10, "no value"),
        ("A='b", 2, "not closed"),
        ("A='b' c", 6, "follows the closing quote"),
        ('A = "b""c"', 7, "follows the closing quote"),
    ],
)
def test_why_a_variable_cannot_be_read_is_reported_with_its_place(line: str, column: int, words: str) -> None:
    fault = setting_fault(line)
    assert fault is not None
    assert fault.column == column
    assert words in fault.message
    assert fault.hint


@given(value=st.text(alphabet="ab \t'\"=%#", max_size=12))
def test_a_value_that_a_line_can_hold_is_written_so_that_it_is_read_again(value: str) -> None:
    setting = read_setting(write_setting("A", value))
    plain = value == value.strip() and value[:1] not in ("'", '"') and value != ""
    if plain or '"' not in value or "'" not in value:
        assert setting is not None
        assert setting.value == value
