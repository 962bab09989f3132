from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minutehand.tools.crontab.documents import document_of, make_template
from minutehand.tools.crontab.reading import read_crontab
from minutehand.tools.crontab.writing import SYSTEM_MARK, export_obstacle, write_crontab

TEMPLATE = make_template({}, url="https://example.com/run", method=None, headers=())
POOL = make_template({}, url=None, method=None, headers=(), pool="web")


def jobs(text: str, *, system: bool = False, template: dict[str, Any] = TEMPLATE) -> list[dict[str, Any]]:
    crontab = read_crontab(text, system=system)
    assert crontab.problems == ()
    return [
        document_of(
            line,
            name=f"job-{place}",
            source="web",
            namespace="default",
            timezone=line.timezone or "UTC",
            user=line.entry.user,
            template=template,
        )
        for place, line in enumerate(crontab.lines)
    ]


def job(**fields: Any) -> dict[str, Any]:
    return jobs("* * * * * run")[0] | fields


def said(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a crontab says of jobs, in an order that does not depend on theirs."""
    kept = ("schedule", "timezone", "payload", "description", "owner")
    return sorted(({key: each.get(key) for key in kept} for each in documents), key=str)


def test_a_crontab_is_variables_and_lines_with_their_comments_above() -> None:
    text = """MAILTO=ops
CRON_TZ=Europe/Paris
# Back up.
#
# Every night.
0 3 * * * /usr/bin/backup.sh --full +\\%F%in%put
"""
    written = write_crontab(jobs(text))
    assert written.left_out == {}
    assert written.text.partition("\n\n")[2] == (
        "CRON_TZ=Europe/Paris\nMAILTO=ops\n\n# Back up.\n#\n# Every night.\n"
        "0 3 * * * /usr/bin/backup.sh --full +\\%F%in%put\n"
    )


@pytest.mark.parametrize("system", [True, False])
def test_what_is_written_is_read_as_the_same_jobs(system: bool) -> None:
    user = "root " if system else ""
    text = f"""* * * * * {user}plain
A=1
CRON_TZ=Asia/Tokyo
# One.
@daily {user}echo 'it''s' \\\\% "x" \\% \\n%a \\% b%%c
A=' 2 '
B=""
C='say "hi"'
TZ=:Europe/Paris
*/5 1-3 * jan-mar mon,FRI {user}two
CRON_TZ=UTC
0 0 1 * * {user}three%
"""
    documents = jobs(text, system=system)
    written = write_crontab(documents)
    assert written.left_out == {}
    assert written.text.startswith(SYSTEM_MARK) is system
    assert said(jobs(written.text, system=system)) == said(documents)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"schedule": "*/10 * * * * *"}, "seconds"),
        ({"schedule": "@every 90s"}, "not valid in crontab(5)"),
        ({"schedule": "@after 5m"}, "not valid in crontab(5)"),
        ({"schedule": "0 0 L * *"}, "not valid in crontab(5)"),
        ({"schedule": "H H * * *"}, "not valid in crontab(5)"),
        ({"schedule": "cron(0 10 * * ? *)"}, "not valid in crontab(5)"),
        ({"schedule": "CRON_TZ=UTC 0 0 * * *"}, "not valid in crontab(5)"),
        ({"schedule": ["@daily", "@hourly"]}, "more than one schedule"),
        ({"dialect": "robfig"}, "dialect is robfig"),
        ({"paused": True}, "paused"),
        ({"end_at": "2027-01-01T00:00:00Z", "jitter": "5m"}, "no end_at, jitter"),
        ({"payload": None}, "has no command"),
        ({"payload": {"greeting": "hi"}}, "has no command"),
        ({"payload": {"command": ""}}, "cannot be written"),
        ({"payload": {"command": "a\nb"}}, "cannot be written"),
        ({"payload": {"command": "a", "stdin": "no end of line"}}, "cannot be written"),
        ({"payload": {"command": "a", "environment": {"A": "\"'"}}}, "cannot be written"),
        ({"payload": {"command": "a", "environment": {"A\n": "1"}}}, "cannot be written"),
        ({"payload": {"command": "a", "environment": {"CRON_TZ": "UTC"}}}, "cannot be written"),
    ],
)
def test_what_a_crontab_cannot_say_is_left_out_with_the_reason(fields: dict[str, Any], words: str) -> None:
    written = write_crontab([job(**fields), job(name="good")], system=False)
    assert list(written.left_out) == ["default/job-0"]
    assert words in written.left_out["default/job-0"]
    assert f"# default/job-0 is not here: {written.left_out['default/job-0']}" in written.text
    assert [line.entry.command for line in read_crontab(written.text, system=False).lines] == ["run"]


def test_a_job_without_a_user_has_no_place_among_those_with_one() -> None:
    with_user = jobs("* * * * * root a", system=True)[0]
    written = write_crontab([job(name="b"), with_user])
    assert written.left_out == {"default/b": "it has no user"}


def test_a_job_that_lacks_a_variable_comes_before_the_variable_or_not_at_all() -> None:
    documents = [*jobs("A=1\n* * * * * a"), *jobs("* * * * * plain"), *jobs("B=1\n* * * * * b")]
    written = write_crontab([each | {"name": each["payload"]["command"]} for each in documents])
    assert list(written.left_out) == ["default/b"]
    assert "A, set further up, is not in its environment" in written.left_out["default/b"]
    found = read_crontab(written.text, system=False).lines
    assert [(line.entry.command, line.environment) for line in found] == [("plain", {}), ("a", {"A": "1"})]


def test_an_undecidable_word_is_never_written() -> None:
    # Cron would take this line for a variable named @daily.
    assert export_obstacle(job(schedule="@daily", payload={"command": "= 1"}), system=False) is not None


_TEXT = st.text(alphabet="ab \\%'\"=#*\n", max_size=8)


@given(command=_TEXT, stdin=st.none() | _TEXT, environment=st.dictionaries(st.sampled_from(["A", "TZ", "x y"]), _TEXT))
def test_whatever_a_payload_holds_it_comes_back_as_it_was_or_is_left_out(
    command: str, stdin: str | None, environment: dict[str, str]
) -> None:
    payload = {"command": command, "stdin": stdin, "user": None, "environment": environment}
    written = write_crontab([job(payload=payload)])
    crontab = read_crontab(written.text, system=False)
    assert crontab.problems == ()
    if written.left_out:
        assert crontab.lines == ()
    else:
        [line] = crontab.lines
        assert (line.entry.command, line.entry.stdin, line.environment) == (command, stdin, environment)


def test_the_commands_of_a_pool_are_written_as_the_lines_that_they_came_from() -> None:
    text = """SHELL=/bin/bash
HOME=/srv
MASK={{.Names}}
PATH=/bin
CRON_TZ=Europe/Paris
0 3 * * * root run\\% it%now%then
@daily www other
"""
    documents = jobs(text, system=True, template=POOL)
    written = write_crontab(documents)
    assert written.left_out == {}
    again = jobs(written.text, system=True, template=POOL)
    kept = ("schedule", "timezone", "target", "payload")
    assert [{key: each[key] for key in kept} for each in again] == [
        {key: each[key] for key in kept} for each in documents
    ]


def command_job(payload: Any = None, **target: Any) -> dict[str, Any]:
    [made] = jobs("* * * * * run", template=POOL)
    return made | {"payload": payload, "target": made["target"] | target}


@pytest.mark.parametrize(
    ("job", "reason"),
    [
        (command_job(environment={"A": "{{job}}"}), "the variable A is filled in at each run"),
        (command_job(directory="/srv"), "its directory is not its variable HOME"),
        (command_job({"a": 1}), "its input is JSON"),
    ],
)
def test_a_command_that_no_line_can_say_is_a_comment_with_the_reason(job: dict[str, Any], reason: str) -> None:
    [why] = write_crontab([job]).left_out.values()
    assert reason in why


def test_a_list_of_arguments_and_an_unread_payload_become_a_line() -> None:
    assert "* * * * * backup 'my files'\n" in write_crontab([command_job(command=["backup", "my files"])]).text
    assert "* * * * * run\n" in write_crontab([command_job({"a": 1}, stdin="none")]).text
