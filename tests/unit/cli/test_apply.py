import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Barrier, Event

import pytest

from minutehand.cli.parallel import THREADS
from tests.unit.cli.conftest import Cli
from tests.unit.client.fake.documents import coming_run, make_preview
from tests.unit.client.fake.server import Canned, Request
from tests.unit.client.fake_api import TOKEN, FakeApi

TARGET = "target: {type: http, method: POST, url: https://example.com/hook}"


def job(name: str, schedule: str = '"@hourly"', more: str = "") -> str:
    return f"name: {name}\nschedule: {schedule}\n{TARGET}\n" + (f"{more}\n" if more else "")


def write(path: str, text: str) -> str:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")
    return path


def test_apply_says_per_job_what_it_did(api: FakeApi, cli: Cli) -> None:
    write("jobs.yaml", f"{job('one')}---\n{job('two', more='namespace: demo')}")
    assert (
        cli("apply", "-f", "jobs.yaml").stdout
        == "created    default/one  revision 1\ncreated    demo/two  revision 1\n"
    )
    write("jobs.yaml", f"{job('one')}---\n{job('two', '0 9 * * *', more='namespace: demo')}")
    assert (
        cli("apply", "-f", "jobs.yaml").stdout
        == "unchanged  default/one  revision 1\nupdated    demo/two  revision 2\n"
    )


def test_apply_in_json_has_job_result_and_revision(cli: Cli) -> None:
    write("jobs.yaml", job("one"))
    result = cli("apply", "-f", "jobs.yaml", "-o", "json")
    item = {"job": "default/one", "result": "created", "revision": 1, "warnings": []}
    assert json.loads(result.stdout) == {"items": [item]}
    assert result.stderr == ""


def test_a_file_may_be_named_with_and_without_its_option(api: FakeApi, cli: Cli) -> None:
    assert cli("apply", write("a.yaml", job("a")), "-f", write("b.yaml", job("b"))).exit_code == 0
    assert sorted(api.jobs) == ["default/a", "default/b"]
    by_option = cli("cost", "-f", "a.yaml", "-f", "b.yaml")
    assert by_option.exit_code == 0
    assert by_option.stdout == cli("cost", "a.yaml", "b.yaml").stdout


@pytest.mark.parametrize("command", ["apply", "calendar apply"])
def test_whoever_names_no_file_is_told_what_to_name(cli: Cli, command: str) -> None:
    result = cli(*command.split())
    assert result.exit_code == 2
    assert "no file is named: give one, a folder, or - for stdin" in result.stderr


def test_a_folder_is_read_with_those_below_it_but_not_what_is_hidden_or_no_job_file(api: FakeApi, cli: Cli) -> None:
    write("jobs/b.yml", job("b"))
    write(
        "jobs/deep/a.json",
        json.dumps({"name": "a", "schedule": "@daily", "target": {"type": "http", "url": "https://a"}}),
    )
    write("jobs/.hidden/c.yaml", job("c"))
    write("jobs/notes.md", "# nothing")
    assert cli("apply", "-f", "jobs").exit_code == 0
    assert sorted(api.jobs) == ["default/a", "default/b"]


def test_a_file_that_is_named_twice_is_read_once(api: FakeApi, cli: Cli) -> None:
    write("jobs/a.yaml", job("a"))
    assert cli("apply", "-f", "jobs", "-f", "jobs/a.yaml", "-f", "./jobs/a.yaml").exit_code == 0


@pytest.mark.parametrize(
    "text",
    [
        job("a"),
        "\ufeff" + job("a"),
        "{name: a, schedule: '@hourly', target: {type: http, url: 'https://a'}}",
        '{"name": "a",\n\t"schedule": "@hourly", "target": {"type": "http", "url": "https://a"}}',
        "---\n---\n" + job("a") + "---\n",
    ],
)
def test_stdin_may_be_yaml_or_json(api: FakeApi, cli: Cli, text: str) -> None:
    assert cli("apply", "-f", "-", stdin=text.encode()).exit_code == 0
    assert list(api.jobs) == ["default/a"]


def test_a_json_file_may_hold_several_documents(api: FakeApi, cli: Cli) -> None:
    documents = [
        {"name": name, "schedule": "@daily", "target": {"type": "http", "url": "https://a"}} for name in ("a", "b")
    ]
    write("jobs.json", "\n".join(json.dumps(each) for each in documents))
    assert cli("apply", "-f", "jobs.json").exit_code == 0
    assert sorted(api.jobs) == ["default/a", "default/b"]


def test_what_show_prints_can_be_applied(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat", payload={"text": "早"})
    shown = cli("show", "demo/beat", "-o", "json").stdout
    assert cli("apply", "-f", "-", stdin=shown.encode()).stdout.startswith("unchanged  demo/beat")


def test_one_invalid_job_keeps_all_from_being_saved_and_every_field_of_every_job_is_told(
    api: FakeApi, cli: Cli
) -> None:
    write("good.yaml", job("good"))
    write("bad.yaml", f"\n{job('bad', '61 * * * *', more='colour: red')}---\n{job('worse', more='size: 3')}")
    result = cli("apply", "-f", "good.yaml", "-f", "bad.yaml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert api.jobs == {}
    lines = result.stderr.splitlines()
    assert lines[0] == "error: 2 of 3 jobs were refused; nothing was saved"
    assert "  bad.yaml:2 default/bad schedule: minute: 61 is out of range" in lines
    assert lines[lines.index("      61 * * * *") + 1] == "      ^"
    assert "    hint: 0 to 59" in lines
    assert "  bad.yaml:2 default/bad colour: there is no such field" in lines
    assert "  bad.yaml:7 default/worse size: there is no such field" in lines


def test_invalid_jobs_in_json_are_one_problem_with_file_and_job(api: FakeApi, cli: Cli) -> None:
    write("bad.yaml", job("bad", "61 * * * *"))
    result = cli("apply", "-f", "bad.yaml", "-o", "json")
    [error] = json.loads(result.stderr)["errors"]
    assert (error["file"], error["job"], error["path"], error["column"]) == ("bad.yaml:1", "default/bad", "schedule", 0)
    assert (result.exit_code, result.stdout) == (2, "")


def test_an_internal_error_is_not_held_against_the_file(api: FakeApi, cli: Cli) -> None:
    write("jobs.yaml", "---\n".join(job(f"job-{n}") for n in range(40)))
    api.instead = lambda request: Canned(status=500, body=b'{"title": "Internal error", "detail": "our fault"}')
    result = cli("apply", "-f", "jobs.yaml")
    assert (result.exit_code, result.stderr) == (1, "error: our fault\n")
    assert len(api.requests) <= THREADS  # none is begun behind the first failure


def test_a_dry_run_saves_nothing(api: FakeApi, cli: Cli) -> None:
    write("jobs.yaml", job("one"))
    result = cli("apply", "-f", "jobs.yaml", "--dry-run")
    assert result.stdout.startswith("created    default/one")
    assert "nothing was saved" in result.stderr
    assert api.jobs == {}


def test_a_failure_in_the_middle_of_saving_tells_what_is_saved(api: FakeApi, cli: Cli) -> None:
    write("jobs.yaml", f"{job('a')}---\n{job('b')}")
    conflict = Canned(status=409, body=b'{"title": "conflict", "detail": "somebody else was first"}')

    def instead(request: Request) -> Canned | None:
        saving_b = request.method == "PUT" and not request.query and request.path.endswith("/b")
        return conflict if saving_b else None

    api.instead = instead
    result = cli("apply", "-f", "jobs.yaml")
    assert (result.exit_code, list(api.jobs)) == (4, ["default/a"])
    assert result.stdout.startswith("created    default/a")
    assert "1 of 2 jobs are as their files say" in result.stderr
    assert "somebody else was first" in result.stderr


def test_a_role_that_may_not_save_is_not_allowed(api: FakeApi, cli: Cli) -> None:
    write("jobs.yaml", job("a"))
    api.allowed = {"GET"}
    result = cli("apply", "-f", "jobs.yaml")
    assert result.exit_code == 5
    assert "may not PUT" in result.stderr


def test_the_namespace_option_is_for_jobs_that_name_none(api: FakeApi, cli: Cli) -> None:
    write("jobs.yaml", job("a"))
    cli("apply", "-f", "jobs.yaml", "-n", "demo")
    assert list(api.jobs) == ["demo/a"]
    write("jobs.yaml", job("a", more="namespace: other"))
    result = cli("apply", "-f", "jobs.yaml", "-n", "demo")
    assert result.exit_code == 2
    assert "jobs.yaml:1" in result.stderr


def test_a_job_that_is_there_twice_is_an_error_that_names_both_places(api: FakeApi, cli: Cli) -> None:
    write("a.yaml", job("beat"))
    write("b.yaml", f"{job('x')}---\n{job('beat', more='namespace: default')}")
    result = cli("apply", "-f", "a.yaml", "-f", "b.yaml")
    assert result.exit_code == 2
    assert "b.yaml:5: default/beat is here a second time; the first is at a.yaml:1" in result.stderr
    assert api.requests == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name: a\n  schedule: x", "bad.yaml:2:11: mapping values are not allowed"),
        ("name: a\nschedule: * * * * *", "bad.yaml:2:12:"),
        ("name: a\nschedule: * * * * *", 'schedule: "*/5 * * * *"'),
        ("name: a\nschedule: @hourly", 'schedule: "@hourly"'),
        ("name: a\n\tschedule: x", "bad.yaml:2:1:"),
        ("name: [a", "bad.yaml:1:9:"),
        ("name: a\nname: b", "bad.yaml:2:1: the key 'name' is here twice"),
        ("name: a\nlabels: {1: x}", "bad.yaml:2:10: a key must be text"),
        ("name: a\nowner: \x01", "bad.yaml:2:8: the character"),
        ("name: a\nwhen: !!timestamp 2026-11-20", "bad.yaml:1: it holds what JSON cannot"),
        ("name: a\nwhen: !!python/object:os.system {}", "bad.yaml:2:7:"),
        ("name: a\npayload: &x [*x]", "bad.yaml:1: it holds what JSON cannot"),
        ("[" * 5000, "nested too deeply"),
        ("- name: a", "bad.yaml:1: this document is a list, not a mapping"),
        ("just text", "bad.yaml:1: this document is a text, not a mapping"),
        ("schedule: x", "bad.yaml:1: this job has no name"),
        ("name: 007\n---\nname: 7", "bad.yaml:3: name is a number, not text"),
        ("name: true", "name is true or false, not text"),
        ("name: a\nnamespace: [b]", "namespace is a list, not text"),
        ("name: demo/beat", "write namespace: demo and name: beat"),
        ("", "there is no job in it"),
        ("---\n# nothing\n", "there is no job in it"),
    ],
)
def test_a_broken_file_is_told_with_its_place_and_nothing_is_sent(api: FakeApi, cli: Cli, text: str, told: str) -> None:
    write("bad.yaml", text)
    result = cli("apply", "-f", "bad.yaml")
    assert result.exit_code == 2
    assert told in result.stderr
    assert api.requests == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"name": "a",}', "bad.json:1:1"),
        ('{"name": "a"}\n{"name": NaN}', "bad.json:2: NaN is no JSON value"),
        ('{"name": "a", "name": "b"}', "bad.json:1: the key 'name' is there twice"),
        ("[" * 200_000, "nested too deeply"),
        ('{"name": "a"} x', "bad.json:1:15:"),
    ],
)
def test_broken_json_is_told_with_its_place(api: FakeApi, cli: Cli, text: str, told: str) -> None:
    write("bad.json", text)
    result = cli("apply", "-f", "bad.json")
    assert result.exit_code == 2
    assert told in result.stderr
    assert api.requests == []


def test_every_broken_file_is_told_at_once(cli: Cli) -> None:
    write("jobs/a.yaml", "name: [")
    write("jobs/b.yaml", "schedule: x")
    Path("jobs/c.yaml").write_bytes(b"name: \xff")
    Path("empty").mkdir()
    result = cli("apply", "-f", "jobs", "-f", "missing.yaml", "-f", "empty", "-o", "json")
    assert [error["path"] for error in json.loads(result.stderr)["errors"]] == [
        "jobs/a.yaml:1:8",
        "jobs/b.yaml:1",
        "jobs/c.yaml",
        "missing.yaml",
        "empty",
    ]


def test_plain_words_and_dates_stay_text(api: FakeApi, cli: Cli) -> None:
    payload = (
        "payload: {a: on, b: no, c: 1:30, d: 2026-11-20, e: 007, f: ~, g: true, h: 7, i: 1.5, j: .nan, k: 1e3, l: }"
    )
    write("jobs.yaml", job("a", more=payload))
    assert cli("apply", "-f", "jobs.yaml").exit_code == 0
    assert api.jobs["default/a"]["payload"] == {
        "a": "on",
        "b": "no",
        "c": "1:30",
        "d": "2026-11-20",
        "e": "007",
        "f": None,
        "g": True,
        "h": 7,
        "i": 1.5,
        "j": ".nan",
        "k": 1000.0,
        "l": None,
    }


def test_anchors_and_merges_work(api: FakeApi, cli: Cli) -> None:
    write("jobs.yaml", job("a", more="payload: {base: &b {x: 1, y: 2}, more: {<<: *b, y: 3}}"))
    assert cli("apply", "-f", "jobs.yaml").exit_code == 0
    assert api.jobs["default/a"]["payload"]["more"] == {"x": 1, "y": 3}


def test_a_name_that_the_api_does_not_take_is_told_with_its_place(cli: Cli) -> None:
    write("jobs.yaml", job("Früh am Tag"))
    result = cli("apply", "-f", "jobs.yaml")
    assert result.exit_code == 2
    assert "jobs.yaml:1 default/Früh am Tag name: 'Früh am Tag' is not a name" in result.stderr


def test_several_jobs_are_sent_at_a_time_and_told_in_the_order_of_the_files(api: FakeApi, cli: Cli) -> None:
    write("jobs.yaml", "---\n".join(job(f"job-{n:02}") for n in range(THREADS * 2)))
    together = Barrier(THREADS, timeout=10)  # each request waits until so many others are there

    def before(request: Request) -> None:
        if request.query:
            together.wait()

    api.before = before
    result = cli("apply", "-f", "jobs.yaml")
    assert result.stdout.splitlines() == [f"created    default/job-{n:02}  revision 1" for n in range(THREADS * 2)]
    assert (result.exit_code, result.stderr) == (0, "")


def test_no_more_than_twenty_errors_are_told_to_people_and_all_to_programs(cli: Cli) -> None:
    write("jobs.yaml", "---\n".join(job(f"job-{n:02}", more="colour: red") for n in range(30)))
    lines = cli("apply", "-f", "jobs.yaml").stderr.splitlines()
    assert sum("there is no such field" in line for line in lines) == 20
    assert lines[-1] == "  and 10 more; -o json tells them all"
    assert len(json.loads(cli("apply", "-f", "jobs.yaml", "-o", "json").stderr)["errors"]) == 30


def test_a_terminal_sees_how_far_it_is_and_a_pipe_does_not(api: FakeApi) -> None:
    write("jobs.yaml", f"{job('a')}---\n{job('b')}")
    env = {"MINUTEHAND_URL": api.url, "MINUTEHAND_TOKEN": TOKEN, "PATH": "", "TERM": "xterm"}
    ours, theirs = os.openpty()
    command = [str(Path(sys.executable).parent / "minutehand"), "apply", "-f", "jobs.yaml"]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=theirs, check=True, timeout=60)
    os.close(theirs)
    seen = os.read(ours, 10_000).decode()
    os.close(ours)
    assert b"\r" not in done.stdout
    assert "checking 2 of 2" in seen
    assert "saving 2 of 2" in seen
    assert seen.endswith("\r\x1b[K")


def test_ctrl_c_while_saving_begins_nothing_more_and_tells_what_is_saved(api: FakeApi) -> None:
    write("jobs.yaml", "---\n".join(job(f"job-{n:02}") for n in range(60)))
    env = {"MINUTEHAND_URL": api.url, "MINUTEHAND_TOKEN": TOKEN, "PATH": ""}
    command = [str(Path(sys.executable).parent / "minutehand"), "apply", "-f", "jobs.yaml"]
    sent = Event()
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:

        def before(request: Request) -> None:
            if request.method != "PUT" or request.query:
                return
            if request.path.endswith("/job-05"):
                process.send_signal(signal.SIGINT)
                sent.set()
            elif sent.is_set():
                Event().wait(1)  # so that the signal arrives before all is saved

        api.before = before
        out, err = process.communicate(timeout=60)
    told = [line.split()[1] for line in out.splitlines()]
    assert told == sorted(api.jobs)
    assert 0 < len(told) < 60
    assert f"{len(told)} of 60 jobs are as their files say" in err
    assert (process.returncode, "interrupted" in err) == (130, True)


def test_the_caret_stands_under_the_one_of_several_schedules_that_is_at_fault(api: FakeApi, cli: Cli) -> None:
    write("jobs.yaml", job("two", '["0 9 * * *", "0 61 * * *"]'))
    error = {"path": "schedule[1]", "message": "hour: 61 is out of range", "hint": "0 to 23", "column": 2}
    problem = {"title": "Invalid request", "status": 422, "detail": "no", "errors": [error]}
    api.instead = lambda request: Canned(status=422, body=json.dumps(problem).encode())
    lines = cli("apply", "-f", "jobs.yaml").stderr.splitlines()
    at = lines.index("      0 61 * * *")
    assert lines[at - 1].endswith("schedule[1]: hour: 61 is out of range")
    assert lines[at + 1].index("^") == lines[at].index("61")


WARNING = {"path": "schedule", "message": "day-of-month: either is enough", "hint": "join two", "column": 4}
TOLD = [
    "warning: jobs.yaml:1 default/one schedule: day-of-month: either is enough",
    "    0 9 13 * FRI",
    "        ^",
    "  hint: join two",
]


def test_warnings_are_told_with_their_place_and_a_caret(api: FakeApi, cli: Cli) -> None:
    write("jobs.yaml", f"{job('one', '0 9 13 * FRI')}---\n{job('two')}")
    api.warnings["default/one"] = [WARNING]
    planned = cli("apply", "-f", "jobs.yaml", "--dry-run")
    assert planned.stderr.splitlines() == [*TOLD, "nothing was saved: --dry-run"]
    saved = cli("apply", "-f", "jobs.yaml")
    assert (saved.exit_code, saved.stderr.splitlines()) == (0, TOLD)
    assert len(saved.stdout.splitlines()) == 2


def test_a_job_that_is_left_alone_is_warned_of_by_a_dry_run_only(api: FakeApi, cli: Cli) -> None:
    write("jobs.yaml", job("one", "0 9 13 * FRI"))
    cli("apply", "-f", "jobs.yaml")
    api.warnings["default/one"] = [WARNING]
    assert cli("apply", "-f", "jobs.yaml").stderr == ""
    assert "either is enough" in cli("apply", "-f", "jobs.yaml", "--dry-run").stderr
    [item] = json.loads(cli("apply", "-f", "jobs.yaml", "-o", "json").stdout)["items"]
    assert (item["result"], item["warnings"]) == ("unchanged", [WARNING])


def test_the_warning_of_one_of_several_schedules_has_its_caret_under_that_one(api: FakeApi, cli: Cli) -> None:
    write("jobs.yaml", job("one", '["@daily", "0 9 13 * FRI"]'))
    api.warnings["default/one"] = [WARNING | {"path": "schedule[1]"}]
    assert cli("apply", "-f", "jobs.yaml").stderr.splitlines()[1:] == TOLD[1:]


@pytest.mark.parametrize(
    ("added", "removed", "told"),
    [
        (1416.0, 0.0, "adds 1416 runs a day, removes 0"),
        (1.0, 0.33, "adds 1 run a day, removes 0.33"),
        (0.0, 0.0, "adds and removes no runs"),
    ],
)
def test_a_dry_run_says_of_an_edit_what_it_adds_and_removes_a_day(
    api: FakeApi, cli: Cli, added: float, removed: float, told: str
) -> None:
    write("jobs.yaml", job("one"))
    cli("apply", "-f", "jobs.yaml")
    write("jobs.yaml", job("one", '"* * * * *"'))
    span = {"from": "2026-11-20T08:30:00Z", "until": "2026-12-20T08:30:00Z", "kept_per_day": 24.0}
    diff = span | {"added_per_day": added, "removed_per_day": removed}
    api.previews["default/one"] = make_preview(diff=diff)
    [line, *_] = cli("apply", "-f", "jobs.yaml", "--dry-run").stdout.splitlines()
    assert line == f"updated    default/one  revision 2  {told}"
    [item] = json.loads(cli("apply", "-f", "jobs.yaml", "--dry-run", "-o", "json").stdout)["items"]
    assert item["preview"]["diff"] == diff
    assert "preview" not in json.loads(cli("apply", "-f", "jobs.yaml", "-o", "json").stdout)["items"][0]


def test_a_dry_run_of_one_job_shows_its_coming_runs(api: FakeApi, cli: Cli) -> None:
    write("jobs.yaml", job("one"))
    api.previews["default/one"] = make_preview(coming_run("2026-11-20T09:00:00Z"), coming_run("2026-11-20T10:00:00Z"))
    lines = cli("apply", "-f", "jobs.yaml", "--dry-run").stdout.splitlines()
    assert lines[0].startswith("created    default/one")
    assert lines[-3:] == [
        "local (UTC)                     UTC",
        "Fri 2026-11-20 09:00:00 +00:00  2026-11-20 09:00:00",
        "Fri 2026-11-20 10:00:00 +00:00  2026-11-20 10:00:00",
    ]
    write("jobs.yaml", f"{job('one')}---\n{job('two')}")
    assert len(cli("apply", "-f", "jobs.yaml", "--dry-run").stdout.splitlines()) == 2


def test_one_job_that_is_refused_is_one_job(api: FakeApi, cli: Cli) -> None:
    Path("one.yaml").write_text("name: a\nschedule: '@daily'\ntarget: {type: http, url: 'https://a.example'}\n")
    problem = b'{"title": "Invalid job", "status": 400, "detail": "invalid", "errors": []}'
    answer = Canned(status=400, body=problem, headers={"Content-Type": "application/problem+json"})
    api.instead = lambda request: answer
    assert cli("apply", "-f", "one.yaml").stderr.startswith("error: 1 of 1 job was refused; nothing was saved\n")
