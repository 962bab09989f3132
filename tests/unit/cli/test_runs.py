import json
from datetime import timedelta
from pathlib import Path

import pytest

from minutehand.adapters.memory import MemoryOutputs
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Result, RunError
from minutehand.domain.run_key import RunKey
from minutehand.usecases.completion.report import keep_output
from minutehand.usecases.ports.outputs import whole
from tests.support.api_server import NOW, ApiServer
from tests.unit.cli.conftest import Cli, Sleeper

RUN = "20261120T080000Z"


def test_runs_come_newest_first_with_what_came_of_them(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", "20261120T080000Z")
    api.add_run(
        "demo/beat", "20261120T080010Z", "failed", error=RunError(type="Timeout", message="too\nslow", stack="…")
    )
    api.add_run("demo/beat", "20261120T080020Z", "skipped")
    lines = cli("runs", "demo/beat").stdout.splitlines()
    assert [line.split()[:3] for line in lines[1:]] == [
        ["2026-11-20", "08:00:20", "skipped"],
        ["2026-11-20", "08:00:10", "failed"],
        ["2026-11-20", "08:00:00", "succeeded"],
    ]
    assert "the job was paused" in lines[1]
    assert lines[2].rstrip().endswith("Timeout: too")
    assert "412ms" in lines[3]
    assert lines[3].rstrip().endswith("HTTP 200")


def test_runs_has_a_limit_over_several_pages_and_goes_on_at_a_cursor(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    for n in range(100):
        api.add_run("demo/beat", f"20261120T08{n // 60:02}{n % 60:02}Z")
    assert len(json.loads(cli("runs", "demo/beat", "-o", "json").stdout)["items"]) == 20
    page = json.loads(cli("runs", "demo/beat", "-o", "json", "--limit", "70").stdout)
    rest = json.loads(cli("runs", "demo/beat", "-o", "json", "--limit", "70", "--cursor", page["next"]).stdout)
    assert (len(page["items"]), len(rest["items"]), rest["next"]) == (70, 30, None)
    assert "more: --cursor" in cli("runs", "demo/beat").stderr


def test_a_job_without_runs_is_no_error(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    result = cli("runs", "demo/beat")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "demo/beat has no runs that are due yet\n")


def test_follow_prints_each_run_and_each_change_and_ends_cleanly_on_ctrl_c(
    api: ApiServer, cli: Cli, sleeper: Sleeper
) -> None:
    api.add_job("demo/beat")
    first = api.add_run("demo/beat", "20261120T080000Z", "running")
    sleeper.then = [
        lambda: api.move(first, "succeeded"),
        lambda: None,
        lambda: [api.add_run("demo/beat", f"20261120T0801{n:02}Z") for n in range(60)],
    ]
    result = cli("runs", "demo/beat", "--follow", "-o", "json")
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(run["run_id"], run["state"]) for run in events[:2]] == [
        ("20261120T080000Z", "running"),
        ("20261120T080000Z", "succeeded"),
    ]
    assert [run["run_id"] for run in events[2:]] == [f"20261120T0801{n:02}Z" for n in range(60)]
    assert (result.exit_code, result.stderr) == (0, "")


def test_follow_prints_a_line_for_people(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", "20261120T080000Z")
    assert cli("runs", "demo/beat", "--follow").stdout == (
        "2026-11-20 08:00:00  succeeded  attempt 1  late   412ms  took    1.2s  20261120T080000Z  HTTP 200\n"
    )


def test_follow_of_a_job_that_is_not_there_is_not_found(cli: Cli) -> None:
    assert cli("runs", "demo/beat", "--follow").exit_code == 3


def test_follow_takes_no_cursor(cli: Cli) -> None:
    assert cli("runs", "demo/beat", "--follow", "--cursor", "x").exit_code == 2


def test_run_shows_the_whole_record_with_body_and_stack(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.add_run(
        "demo/beat",
        RUN,
        "failed",
        result=Result(type="http", status=500, body="line one\nline \x1btwo"),
        error=RunError(type="HttpStatus", message="500", stack="Traceback\n  File x"),
        took=timedelta(seconds=65),
        lateness=timedelta(hours=2, minutes=3),
    )
    shown = cli("run", "demo/beat", RUN).stdout
    for text in (
        "failed",
        "2026-11-20 08:00:00 UTC",
        "type http, status 500",
        "line one\nline \\x1btwo",
        "Traceback\n  File x",
        "HttpStatus: 500",
        "1m5s",
        "2h3m",
    ):
        assert text in shown
    assert json.loads(cli("run", "demo/beat", RUN, "-o", "json").stdout) == api.runs("demo/beat")[RUN]


def test_run_shows_how_a_command_ended_and_what_it_wrote_and_returned(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    body = '{"exit_code":3,"signal":null,"output":"one\\ntwo\\n","output_bytes":8,"seconds":12.02}'
    api.add_run("demo/beat", RUN, result=Result(type="command", status=None, body=body))
    shown = cli("run", "demo/beat", RUN).stdout
    assert "result         exit code 3, 8 bytes of output in 12.02 s\n" in shown
    assert shown.endswith("\noutput\none\ntwo\n\n")
    assert "exit code 3" in cli("runs", "demo/beat").stdout

    handler = body.replace('{"exit_code":3,"signal":null', '{"result":{"rows":3},"exit_code":null,"signal":"SIGTERM"')
    api.add_run("demo/beat", "20261120T080100Z", result=Result(type="command", status=None, body=handler))
    shown = cli("run", "demo/beat", "20261120T080100Z").stdout
    assert "signal SIGTERM, 8 bytes of output in 12.02 s\n" in shown
    assert '\nreturned\n{\n  "rows": 3\n}\n\noutput\none\n' in shown


def test_run_shows_the_body_of_a_command_s_result_of_which_the_end_is_missing(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", RUN, result=Result(type="command", status=None, body='{"exit_code":0,"signal":null,"outp'))
    assert '\nbody\n{"exit_code":0,"signal":null,"outp' in cli("run", "demo/beat", RUN).stdout
    assert "exit code 0" in cli("runs", "demo/beat").stdout


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"result":{"rows":3},"exit_code":0,', 'returned {"rows":3}'),
        ('{"result":{"rows":[' + "1," * 99, 'returned {"rows":[' + "1," * 25),
        ('{"result":null,"exit_code":0,', "command"),
    ],
)
def test_runs_show_in_short_what_a_handler_returned(api: ApiServer, cli: Cli, body: str, said: str) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", RUN, result=Result(type="command", status=None, body=body))
    assert said in cli("runs", "demo/beat").stdout


def test_run_shows_the_log_that_a_function_answered_with_below_its_answer(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    key = api.add_run("demo/beat", RUN, result=Result(type="lambda", status=200, body="3"), detailed=True)
    result = Result(type="lambda", status=200, body="3", log="START\nrows: 3")
    keep_output(MemoryOutputs(api.state), key, 1, whole(result, None, NOW + timedelta(days=1)), NOW)
    shown = cli("run", "demo/beat", RUN).stdout
    assert "type lambda, status 200\n" in shown
    assert "log of the target, its end\nSTART\nrows: 3" in shown


def test_run_says_why_a_run_was_skipped(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", RUN, "skipped")
    assert "the job was paused" in cli("run", "demo/beat", RUN).stdout


def test_trigger_answers_the_run_without_waiting(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    result = cli("trigger", "demo/beat")
    assert result.exit_code == 0
    assert result.stdout.startswith("queued  demo/beat  20261120T083000Z~trigger-")


def test_trigger_twice_with_one_key_is_one_run(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    runs = [
        json.loads(cli("trigger", "demo/beat", "--idempotency-key", "k", "-o", "json").stdout)["run_id"]
        for _ in range(2)
    ]
    assert runs[0] == runs[1]
    assert len(api.runs("demo/beat")) == 1


@pytest.mark.parametrize(
    ("state", "code"), [("succeeded", 0), ("failed", 1), ("timed_out", 1), ("skipped", 1), ("lost", 1)]
)
def test_trigger_with_wait_ends_with_the_run(api: ApiServer, cli: Cli, sleeper: Sleeper, state: str, code: int) -> None:
    api.add_job("demo/beat")
    sleeper.then = [
        lambda: None,
        lambda: api.move_all("demo/beat", "retrying"),
        lambda: api.move_all("demo/beat", state),
    ]
    result = cli("trigger", "demo/beat", "--wait", "-o", "json")
    assert (result.exit_code, json.loads(result.stdout)["state"]) == (code, state)
    if code:
        assert state in json.loads(result.stderr)["detail"]


def test_trigger_stops_waiting_at_the_time_out(api: ApiServer, cli: Cli, sleeper: Sleeper) -> None:
    api.add_job("demo/beat")
    sleeper.then = [lambda: None] * 1000
    result = cli("trigger", "demo/beat", "--wait", "--timeout", "1m30s")
    assert result.exit_code == 1
    assert sleeper.now == pytest.approx(90)
    assert "still queued" in result.stderr


def test_ctrl_c_while_waiting_is_reported_by_the_exit_code(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    result = cli("trigger", "demo/beat", "--wait")
    assert result.exit_code == 130
    assert "interrupted" in result.stderr


@pytest.mark.parametrize("timeout", ["", "5", "0s", "1.5m", "-1s", "5 m", "soon"])
def test_a_time_out_that_is_no_duration_is_bad_usage(api: ApiServer, cli: Cli, timeout: str) -> None:
    assert cli("trigger", "demo/beat", "--wait", "--timeout", timeout).exit_code == 2
    assert api.requests == []


def test_a_time_out_without_wait_is_bad_usage(api: ApiServer, cli: Cli) -> None:
    assert cli("trigger", "demo/beat", "--timeout", "5m").exit_code == 2
    assert api.requests == []


def claim_ahead(api: ApiServer, job: str, count: int) -> None:
    """As a tick does: the next `count` seconds from 08:30:01 on, claimed at 08:29:58."""
    for n in range(1, count + 1):
        api.claim_ahead(job, f"20261120T083{n // 60}{n % 60:02}Z", claimed_at=NOW - timedelta(seconds=2))


def test_runs_are_those_that_are_due_and_the_ones_ahead_come_when_asked_for(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    claim_ahead(api, "demo/beat", 120)
    for n in range(60):
        api.add_run("demo/beat", f"20261120T0829{n:02}Z")
    page = json.loads(cli("runs", "demo/beat", "--limit", "30", "-o", "json").stdout)
    rest = json.loads(cli("runs", "demo/beat", "--limit", "90", "-o", "json", "--cursor", page["next"]).stdout)
    assert [run["run_id"] for run in page["items"] + rest["items"]] == [
        f"20261120T0829{n:02}Z" for n in reversed(range(60))
    ]
    ahead = json.loads(cli("runs", "demo/beat", "--limit", "2", "--upcoming", "-o", "json").stdout)
    assert [run["run_id"] for run in ahead["items"]] == ["20261120T083200Z", "20261120T083159Z"]
    assert len(cli("runs", "demo/beat").stdout.splitlines()) == 21


def test_a_run_just_triggered_is_due_even_if_the_clock_here_is_behind(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.now = NOW + timedelta(seconds=3)
    run = json.loads(cli("trigger", "demo/beat", "-o", "json").stdout)
    assert run["scheduled_for"] > "2026-11-20T08:30:00Z"
    assert json.loads(cli("runs", "demo/beat", "-o", "json").stdout)["items"] == [
        {name: value for name, value in run.items() if name not in {"attempts", "output"}}
    ]


def test_a_run_that_jitter_delays_is_not_due_before_it_may_start(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.claim_ahead("demo/beat", "20261120T082900Z", start_delay=timedelta(seconds=61))
    api.claim_ahead("demo/beat", "20261120T082800Z", start_delay=timedelta(seconds=120))
    [due] = json.loads(cli("runs", "demo/beat", "-o", "json").stdout)["items"]
    assert due["run_id"] == "20261120T082800Z"


def test_a_run_shows_from_when_on_it_may_start_where_jitter_delays_it(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", RUN, start_delay=timedelta(seconds=90))
    assert "starts at      2026-11-20 08:01:30 UTC" in cli("run", "demo/beat", RUN).stdout
    api.add_run("demo/beat", RUN)
    assert "starts at" not in cli("run", "demo/beat", RUN).stdout


def test_a_job_with_nothing_but_runs_ahead_says_so(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    claim_ahead(api, "demo/beat", 3)
    assert cli("runs", "demo/beat").stderr == "demo/beat has no runs that are due yet\n"


def test_follow_of_a_job_of_every_second_shows_what_ended_and_nothing_that_lies_ahead(
    api: ApiServer, cli: Cli, sleeper: Sleeper
) -> None:
    api.add_job("demo/beat")
    claim_ahead(api, "demo/beat", 120)
    for n in range(50, 60):
        api.add_run("demo/beat", f"20261120T0829{n}Z")
    ahead = RunKey(JobKey("demo", "beat"), "20261120T083001Z")
    sleeper.then = [lambda: api.move(ahead, "succeeded")]
    lines = cli("runs", "demo/beat", "--follow", "--limit", "5").stdout.splitlines()
    assert [line.split()[1:3] for line in lines] == [
        *(["08:29:" + str(n), "succeeded"] for n in range(55, 60)),
        ["08:30:01", "succeeded"],
    ]


def test_follow_does_not_go_with_upcoming(api: ApiServer, cli: Cli) -> None:
    assert cli("runs", "demo/beat", "--follow", "--upcoming").exit_code == 2


def test_programs_get_the_run_as_last_seen_when_waiting_ends_before_it(
    api: ApiServer, cli: Cli, sleeper: Sleeper
) -> None:
    api.add_job("demo/beat")
    sleeper.then = [lambda: api.move_all("demo/beat", "running")] * 9
    result = cli("trigger", "demo/beat", "--wait", "--timeout", "1s", "-o", "json")
    assert (result.exit_code, json.loads(result.stdout)["state"]) == (1, "running")
    assert "still running" in json.loads(result.stderr)["detail"]


def test_ctrl_c_while_waiting_says_that_the_run_goes_on(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    shown = cli("trigger", "demo/beat", "--wait").stderr
    [run] = api.runs("demo/beat")
    assert f"the run continues; `minutehand run demo/beat {run}`" in shown
    assert json.loads(cli("trigger", "demo/beat", "--wait", "-o", "json").stdout)["state"] == "queued"


def test_a_queued_run_says_when_it_starts_where_that_is_later_than_its_instant(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", "20261120T082900Z", "queued", start_delay=timedelta(seconds=85))
    api.add_run("demo/beat", "20261120T082800Z", "queued", start_delay=timedelta(hours=15, minutes=32, seconds=5))
    api.add_run("demo/beat", "20261120T082700Z", "queued")
    shown = [line.split("Z", 1)[1].strip() for line in cli("runs", "demo/beat", "--upcoming").stdout.splitlines()[1:]]
    assert shown[:2] == ["starts 08:30:25", "starts 2026-11-21 00:00:05"]


@pytest.mark.parametrize(
    ("given", "stdin", "sent"),
    [('{"day": 1}', None, {"day": 1}), ("null", None, None), ("@day.json", None, [1]), ("-", "false", False)],
)
def test_trigger_hands_on_a_payload_from_a_text_a_file_or_stdin(
    api: ApiServer, cli: Cli, given: str, stdin: str | None, sent: object
) -> None:
    api.add_job("demo/beat")
    Path("day.json").write_text("[1]", encoding="utf-8")
    assert cli("trigger", "demo/beat", "--payload", given, "--ignore-overlap", stdin=stdin).exit_code == 0
    assert api.requests[-1].body == {"payload": sent, "ignore_overlap": True}


def test_trigger_sends_no_body_where_nothing_is_asked_for(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    cli("trigger", "demo/beat")
    assert api.requests[-1].body is None


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("{day: 1}", "'{day: 1}' is not JSON: line 1, column 2"),
        ("@gone.json", "gone.json cannot be read: No such file or directory"),
        ("@latin.json", "latin.json is not UTF-8 text"),
        ("[NaN]", "NaN is not a JSON value"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_trigger_refuses_a_payload_that_is_no_json(api: ApiServer, cli: Cli, given: str, shown: str) -> None:
    Path("latin.json").write_bytes(b'"\xfc"')
    result = cli("trigger", "demo/beat", "--payload", given)
    assert result.exit_code == 2
    assert shown in result.stderr
    assert api.requests == []
