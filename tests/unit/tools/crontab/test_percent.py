import pytest
from hypothesis import given
from hypothesis import strategies as st

from minutehand.tools.crontab.lines import join_command, split_command


@pytest.mark.parametrize(
    ("written", "command", "stdin"),
    [
        ("echo hi", "echo hi", None),
        ("echo hi  \t", "echo hi", None),
        ("echo hi\\ ", "echo hi\\ ", None),
        ("mail bob%Hello,%%it is done.", "mail bob", "Hello,\n\nit is done.\n"),
        ("date +\\%F", "date +%F", None),
        ("date +\\%F%in \\%put", "date +%F", "in %put\n"),
        ("cat%", "cat", ""),
        ("cat%%", "cat", "\n"),
        ("cat%a%", "cat", "a\n"),
        ("cat %a \\n b%c\\", "cat", "a \\n b\nc\\\n"),
        ("cat%a\\\\%b", "cat", "a\\%b\n"),
        ("printf 'a\\nb'", "printf 'a\\nb'", None),
        ("sed 's/\\\\./x/'", "sed 's/\\./x/'", None),
        ("echo \\\\%in", "echo \\", "in\n"),
        ("%only input", "", "only input\n"),
    ],
)
def test_a_percent_sign_ends_the_command_and_starts_its_input(written: str, command: str, stdin: str | None) -> None:
    assert split_command(written) == (command, stdin)


_PARTS = st.text(alphabet="\\% ab", max_size=8)
_INPUTS = st.none() | st.lists(st.text(alphabet="%ab \\", max_size=4).filter(lambda line: not line.endswith("\\"))).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


@given(command=_PARTS.map(str.strip).filter(bool), stdin=_INPUTS)
def test_what_is_written_is_read_as_it_was(command: str, stdin: str | None) -> None:
    if command.endswith("\\ "):
        return
    assert split_command(join_command(command, stdin)) == (command, stdin)


@given(text=_PARTS)
def test_what_is_read_and_written_means_the_same(text: str) -> None:
    command, stdin = split_command(text.strip())
    assert split_command(join_command(command, stdin)) == (command, stdin)
