"""What `apply` tells before it saves: jobs that are refused, warnings, and what a dry run foretells."""

import json
from pathlib import Path

import pytest

from minutehand.cli.commands.apply import edit_words
from minutehand.domain.declaration.conversion import shown
from minutehand.entrypoints.api.problems import field_document, schedule_problem
from minutehand.schedule import Schedule
from tests.support.api_server import NOW, ApiServer
from tests.support.http_server import Canned
from tests.unit.cli.conftest import Cli
from tests.unit.cli.files import job, write

WARNING = schedule_problem(Schedule.parse("0 9 13 * FRI").warnings(NOW)[0])
WARNED = [
    f"warning: jobs.yaml:2:1 default/one schedule: {WARNING.message}",
    "    0 9 13 * FRI",
    "        ^",
    f"  hint: {WARNING.hint}",
]


def test_one_invalid_job_keeps_all_from_being_saved_and_every_field_of_every_job_is_reported(
    api: ApiServer, cli: Cli
) -> None:
    write("good.yaml", job("good"))
    write("bad.yaml", f"\n{job('bad', '61 * * * *', more='colour: red')}---\n{job('worse', more='size: 3')}")
    result = cli("apply", "-f", "good.yaml", "-f", "bad.yaml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert api.jobs == {}
    lines = result.stderr.splitlines()
    assert lines[0] == "error: 2 of 3 jobs were refused; nothing was saved"
    assert "  bad.yaml:3:1 default/bad schedule: minute: 61 is out of range" in lines
    assert lines[lines.index("      61 * * * *") + 1] == "      ^"
    assert "    hint: it goes from 0 to 59" in lines
    assert "  bad.yaml:5:1 default/bad colour: unknown field" in lines
    assert "  bad.yaml:10:1 default/worse size: unknown field" in lines


def test_invalid_jobs_in_json_are_one_problem_with_file_and_job(api: ApiServer, cli: Cli) -> None:
    write("bad.yaml", job("bad", "61 * * * *"))
    result = cli("apply", "-f", "bad.yaml", "-o", "json")
    [error] = json.loads(result.stderr)["errors"]
    assert (error["file"], error["job"], error["path"], error["column"]) == (
        "bad.yaml:2:1",
        "default/bad",
        "schedule",
        0,
    )
    assert (result.exit_code, result.stdout) == (2, "")


def test_one_job_that_is_refused_is_one_job(api: ApiServer, cli: Cli) -> None:
    Path("one.yaml").write_text("name: a\nschedule: '@daily'\ntarget: {type: http, url: 'https://a.example'}\n")
    problem = b'{"title": "Invalid job", "status": 400, "detail": "invalid", "errors": []}'
    answer = Canned(status=400, body=problem, headers={"Content-Type": "application/problem+json"})
    api.instead = lambda request: answer
    assert cli("apply", "-f", "one.yaml").stderr.startswith("error: 1 of 1 job was refused; nothing was saved\n")


def test_no_more_than_twenty_errors_are_reported_to_people_and_all_to_programs(cli: Cli) -> None:
    write("jobs.yaml", "---\n".join(job(f"job-{n:02}", more="colour: red") for n in range(30)))
    lines = cli("apply", "-f", "jobs.yaml").stderr.splitlines()
    assert sum("unknown field" in line for line in lines) == 20
    assert lines[-1] == "  and 10 more; -o json lists them all"
    assert len(json.loads(cli("apply", "-f", "jobs.yaml", "-o", "json").stderr)["errors"]) == 30


def test_a_name_that_the_api_does_not_take_is_reported_with_its_place(cli: Cli) -> None:
    write("jobs.yaml", job("Früh am Tag"))
    result = cli("apply", "-f", "jobs.yaml")
    assert result.exit_code == 2
    assert "jobs.yaml:1:1 default/Früh am Tag name: 'Früh am Tag' is not" in result.stderr


def test_the_caret_is_under_the_one_of_several_schedules_that_is_at_fault(api: ApiServer, cli: Cli) -> None:
    write("jobs.yaml", job("two", '["0 9 * * *", "0 61 * * *"]'))
    lines = cli("apply", "-f", "jobs.yaml").stderr.splitlines()
    at = lines.index("      0 61 * * *")
    assert lines[at - 1].endswith("schedule[1]: hour: 61 is out of range")
    assert lines[at + 1].index("^") == lines[at].index("61")


def test_warnings_are_reported_with_their_place_and_a_caret(api: ApiServer, cli: Cli) -> None:
    write("jobs.yaml", f"{job('one', '0 9 13 * FRI')}---\n{job('two')}")
    planned = cli("apply", "-f", "jobs.yaml", "--dry-run")
    assert planned.stderr.splitlines() == [*WARNED, "2 jobs: 2 to create", "nothing was saved: --dry-run"]
    saved = cli("apply", "-f", "jobs.yaml")
    assert (saved.exit_code, saved.stderr.splitlines()) == (0, WARNED)
    assert len(saved.stdout.splitlines()) == 2


def test_a_dry_run_says_what_would_be_done_and_its_json_keeps_the_results_of_a_save(cli: Cli) -> None:
    write("jobs.yaml", f"{job('one')}---\n{job('two')}")
    cli("apply", "jobs.yaml")
    write("jobs.yaml", f"{job('one')}---\n{job('two', '@daily')}---\n{job('three')}".replace("@daily", '"@daily"'))
    assert cli("apply", "jobs.yaml", "--dry-run").stdout.splitlines() == [
        "unchanged     default/one  revision 1",
        "would update  default/two  revision 2  adds 0 runs a day, removes 23",
        '  schedule: "@hourly" -> "@daily"',
        "would create  default/three  revision 1",
    ]
    document = json.loads(cli("apply", "jobs.yaml", "--dry-run", "-o", "json").stdout)
    items = document["items"]
    assert document["dry_run"] is True
    assert [item["result"] for item in items] == ["unchanged", "updated", "created"]


def test_a_job_that_is_left_alone_is_warned_of_by_a_dry_run_only(api: ApiServer, cli: Cli) -> None:
    write("jobs.yaml", job("one", "0 9 13 * FRI"))
    cli("apply", "-f", "jobs.yaml")
    assert cli("apply", "-f", "jobs.yaml").stderr == ""
    assert WARNING.message in cli("apply", "-f", "jobs.yaml", "--dry-run").stderr
    [item] = json.loads(cli("apply", "-f", "jobs.yaml", "-o", "json").stdout)["items"]
    assert (item["result"], item["warnings"]) == ("unchanged", [shown(field_document(WARNING, {}))])


def test_warnings_about_unchanged_jobs_are_counted_where_there_are_several(api: ApiServer, cli: Cli) -> None:
    write("jobs.yaml", f"{job('one', '0 9 13 * FRI')}---\n{job('two', '0 9 13 * FRI')}")
    cli("apply", "jobs.yaml")
    assert cli("apply", "jobs.yaml", "--dry-run").stderr.splitlines() == [
        "2 jobs: 2 unchanged",
        "2 warnings about 2 unchanged jobs; -o json lists them",
        "nothing was saved: --dry-run",
    ]


def test_quiet_prints_what_changes_and_no_warnings(api: ApiServer, cli: Cli) -> None:
    write("jobs.yaml", job("one"))
    cli("apply", "jobs.yaml")
    write("jobs.yaml", f"{job('one')}---\n{job('two', '0 9 13 * FRI')}")
    result = cli("apply", "jobs.yaml", "--quiet")
    assert (result.stdout, result.stderr) == ("created    default/two  revision 1\n", "")
    again = cli("apply", "jobs.yaml", "-q")
    assert (again.exit_code, again.stdout, again.stderr) == (0, "", "")


def test_a_job_that_is_too_large_is_refused_with_the_size_that_counts_and_the_limit(api: ApiServer, cli: Cli) -> None:
    write("jobs.yaml", f"# {'-' * 1000}\n" + job("one", more=f"payload: {'x' * 300_000}"))
    [_, message, hint] = cli("apply", "jobs.yaml").stderr.splitlines()
    sent = len(api.requests[0].raw or "")
    assert f"jobs.yaml:2 default/one: the request's body has {sent:,} bytes; 262,144 is the most; " in message
    assert hint == "    hint: the size is that of the job as it is sent, in compact JSON, not of its file"


def test_the_warning_of_one_of_several_schedules_has_its_caret_under_that_one(api: ApiServer, cli: Cli) -> None:
    write("jobs.yaml", job("one", '["@daily", "0 9 13 * FRI"]'))
    assert cli("apply", "-f", "jobs.yaml").stderr.splitlines()[1:] == WARNED[1:]


def test_a_dry_run_saves_nothing(api: ApiServer, cli: Cli) -> None:
    write("jobs.yaml", job("one"))
    result = cli("apply", "-f", "jobs.yaml", "--dry-run")
    assert result.stdout.startswith("would create  default/one")
    assert "nothing was saved" in result.stderr
    assert api.jobs == {}


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        ("* * * * *", "adds 1416 runs a day, removes 0"),
        ("30 12 * * *", "adds 1 run a day, removes 24"),
        ("0 */1 * * *", "adds and removes no runs"),
    ],
)
@pytest.mark.thorough
def test_a_dry_run_says_of_an_edit_what_it_adds_and_removes_a_day(
    api: ApiServer, cli: Cli, schedule: str, words: str
) -> None:
    write("jobs.yaml", job("one"))
    cli("apply", "-f", "jobs.yaml")
    write("jobs.yaml", job("one", f'"{schedule}"'))
    [line, *_] = cli("apply", "-f", "jobs.yaml", "--dry-run").stdout.splitlines()
    assert line == f"would update  default/one  revision 2  {words}"
    [item] = json.loads(cli("apply", "-f", "jobs.yaml", "--dry-run", "-o", "json").stdout)["items"]
    assert edit_words({"preview": item["preview"]}) == words
    assert "preview" not in json.loads(cli("apply", "-f", "jobs.yaml", "-o", "json").stdout)["items"][0]


def test_a_dry_run_of_one_job_shows_its_coming_runs(api: ApiServer, cli: Cli) -> None:
    write("jobs.yaml", job("one"))
    lines = cli("apply", "-f", "jobs.yaml", "--dry-run").stdout.splitlines()
    assert lines[0].startswith("would create  default/one")
    head = lines.index("local (UTC)                     UTC")
    assert lines[head : head + 3] == [
        "local (UTC)                     UTC",
        "Fri 2026-11-20 09:00:00 +00:00  2026-11-20 09:00:00",
        "Fri 2026-11-20 10:00:00 +00:00  2026-11-20 10:00:00",
    ]
    write("jobs.yaml", f"{job('one')}---\n{job('two')}")
    assert len(cli("apply", "-f", "jobs.yaml", "--dry-run").stdout.splitlines()) == 2


@pytest.mark.parametrize("command", [["diff"], ["apply", "--dry-run"]])
def test_one_job_that_stays_as_it_is_takes_one_line(cli: Cli, command: list[str]) -> None:
    write("jobs.yaml", job("one"))
    cli("apply", "jobs.yaml")
    assert cli(*command, "jobs.yaml").stdout == "unchanged     default/one  revision 1\n"


def test_a_dry_run_tells_by_its_exit_code_whether_anything_would_change(api: ApiServer, cli: Cli) -> None:
    write("jobs.yaml", job("one"))
    assert cli("apply", "jobs.yaml", "--dry-run", "--exit-code").exit_code == 6
    assert api.jobs == {}
    cli("apply", "jobs.yaml")
    assert cli("apply", "jobs.yaml", "--dry-run", "--exit-code").exit_code == 0
    write("jobs.yaml", job("one", "0 5 * * *"))
    assert cli("apply", "jobs.yaml", "--dry-run", "--exit-code", "-o", "json").exit_code == 6
    assert cli("apply", "jobs.yaml", "--dry-run").exit_code == 0


def test_the_exit_code_of_changes_needs_a_dry_run(api: ApiServer, cli: Cli) -> None:
    write("jobs.yaml", job("one"))
    result = cli("apply", "jobs.yaml", "--exit-code")
    assert (result.exit_code, api.jobs) == (2, {})
    assert "--exit-code tells whether a dry run found changes: give --dry-run, too" in result.stderr
