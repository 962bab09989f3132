import pytest

from minutehand.tools.crontab.reading import Crontab, Line, read_crontab

SYSTEM = """# The machine's own.

SHELL=/bin/sh
#PATH=/usr/bin:/bin

# +--------- minute
# |  +------ hour
# |  |  +--- day of the month, and so on
# *  *  *  *  * who what
17 *\t* * *\troot\tcd / && run-parts --report /etc/cron.hourly
25 6\t* * *\troot\ttest -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.daily; }
#
"""


def read(text: str, *, system: bool = False, guessed: bool = False) -> Crontab:
    return read_crontab(text, system=system, guessed=guessed)


def lines(text: str, *, system: bool = False) -> tuple[Line, ...]:
    crontab = read(text, system=system)
    assert crontab.problems == ()
    return crontab.lines


def test_a_system_crontab_is_read_with_its_users_and_without_the_drawing_of_its_columns() -> None:
    hourly, daily = lines(SYSTEM, system=True)
    assert hourly.number == 10
    assert (hourly.entry.schedule, hourly.entry.user) == ("17 * * * *", "root")
    assert hourly.entry.command == "cd / && run-parts --report /etc/cron.hourly"
    assert hourly.environment == {"SHELL": "/bin/sh"}
    assert (hourly.description, daily.description) == ("", "")


def test_variables_count_for_the_lines_below_them() -> None:
    one, two, three = lines("* * * * * one\nA=1\nB=2\n* * * * * two\nA='3'\n* * * * * three\n")
    assert one.environment == {}
    assert two.environment == {"A": "1", "B": "2"}
    assert three.environment == {"A": "3", "B": "2"}


def test_comments_directly_above_a_line_describe_it() -> None:
    text = """# Of the file.

# ----------
# Back up.
#
#   Every night!
# ----------
0 3 * * * backup
0 4 * * * next
# Not of it.
A=1
0 5 * * * last
# m h  dom mon dow   command
0 6 * * * headed
# 0 7 * * * switched-off
# Of it.
0 8 * * * on
"""
    assert [line.description for line in lines(text)] == ["Back up.\n\n  Every night!", "", "", "", "Of it."]


def test_a_long_description_is_cut_to_what_a_job_can_hold() -> None:
    [line] = lines(f"# {'x' * 2000}\n@daily a")
    assert len(line.description) == 1000
    assert line.description.endswith("x…")


@pytest.mark.parametrize("name", ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"])
def test_words_that_stand_for_five_fields_are_kept(name: str) -> None:
    [line] = lines(f"{name}\troot  a b", system=True)
    assert (line.entry.schedule, line.entry.user, line.entry.command) == (name, "root", "a b")


def test_the_fields_are_kept_as_written_with_one_blank_between() -> None:
    [line] = lines("  */5\t1-3,5   *  JAN-mar/2 Mon   run   it ")
    assert (line.entry.schedule, line.entry.command) == ("*/5 1-3,5 * JAN-mar/2 Mon", "run   it")


def test_the_last_line_need_not_end() -> None:
    assert lines("@daily a")[0].entry.command == "a"


@pytest.mark.parametrize(
    ("above", "zone"),
    [
        ("", None),
        ("CRON_TZ=Europe/Paris", "Europe/Paris"),
        ("TZ='Asia/Tokyo'", "Asia/Tokyo"),
        ("TZ=:Asia/Tokyo", "Asia/Tokyo"),
        ("CRON_TZ=Europe/Paris\nTZ=Asia/Tokyo", "Europe/Paris"),
        ("TZ=Asia/Tokyo\nCRON_TZ=Europe/Paris", "Europe/Paris"),
        ("CRON_TZ=Europe/Paris\nCRON_TZ=UTC", "UTC"),
    ],
)
def test_the_time_zone_is_that_of_cron_tz_or_else_of_tz(above: str, zone: str | None) -> None:
    [line] = lines(f"{above}\n@daily a")
    assert line.timezone == zone
    assert "CRON_TZ" not in line.environment


def test_tz_stays_in_the_environment_and_that_it_counts_for_schedules_is_noted() -> None:
    crontab = read("TZ=Asia/Tokyo\n@daily a")
    assert crontab.lines[0].environment == {"TZ": "Asia/Tokyo"}
    assert [note.number for note in crontab.notes] == [1]
    assert read("CRON_TZ=UTC\nTZ=Asia/Tokyo\n@daily a").notes == ()


@pytest.mark.parametrize(
    ("line", "pointed_at", "words"),
    [
        ("61 * * * * a", "61", "minute: 61 is out of range"),
        ("0  \t61 * * * a", "61", "hour: 61 is out of range"),
        ("0 0 30 2 * a", "30", "never runs"),
        ("* * * * *", "", "there is no command"),
        ("* * * *  ", "", "this one has 4 words"),
        ("word", "", "this one has 1 word"),
        ("@reboot a", "@reboot", "no machine starts"),
        ("@every 5m a", "@every", "not valid in crontab(5)"),
        ("@after 5m a", "@after", "not valid in crontab(5)"),
        ("0 0 L * * a", "L", "L is not valid in crontab(5)"),
        ("H 0 * * 1#2 a", "H", "H is not valid in crontab(5)"),
        ("@dialy a", "@dialy", "no '@dialy'"),
        ("@daily", "", "there is no command"),
        ("-*/5 * * * * a", "-*/5", "SUSE"),
        ("0 0 5 * * 1-5 a", "1-5", "sixth field"),
        ("* * * * * -q a", "-q", "other crons"),
        ("* * * * * %a", "%", "before the %"),
        ("MAILTO=", "", "no value"),
        ("CRON_TZ=Europe/Pari", "Europe", "no time zone"),
        ("CRON_TZ=UTC * * * * * a", "UTC", "no time zone"),
        ("* * * * * a\r", "\r", "carriage return"),
    ],
)
def test_a_line_that_cannot_be_used_is_a_problem_with_its_place_and_a_hint(
    line: str, pointed_at: str, words: str
) -> None:
    crontab = read(f"# above\n{line}\n@daily good\n")
    [problem] = crontab.problems
    assert (problem.number, problem.text) == (2, line)
    assert problem.text[problem.column :].strip(" \t").startswith(pointed_at)
    assert words in problem.message
    assert problem.hint
    assert crontab.lines[-1].entry.command == "good"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("* * * * * /usr/bin/backup.sh now", "'/usr/bin/backup.sh' is no user"),
        ("* * * * * root", "no command"),
        ("* * * * *", "the user and the command are missing"),
    ],
)
def test_a_missing_user_is_a_problem_where_there_is_a_column_for_it(line: str, words: str) -> None:
    [problem] = read(line, system=True).problems
    assert words in problem.message


def test_a_first_word_root_is_a_doubt_unless_somebody_said_that_there_are_no_users() -> None:
    [problem] = read("* * * * * root a", guessed=True).problems
    assert "--system" in problem.hint
    assert lines("* * * * * root a")[0].entry.command == "root a"


def test_all_problems_are_reported_and_carriage_returns_once() -> None:
    crontab = read("61 * * * * a\r\n* 61 * * * b\r\n* * * * * c\r\n")
    assert [problem.number for problem in crontab.problems] == [1, 1, 2]
    assert crontab.lines[0].entry.command == "c"


def test_a_line_that_was_meant_to_go_on_says_so() -> None:
    first, second = read("0 5 * *\\\n   more\n").problems
    assert "cannot continue" not in first.hint
    assert "cannot continue" in second.hint
