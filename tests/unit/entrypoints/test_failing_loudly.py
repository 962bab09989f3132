"""Functions that could do nothing raise, so that Lambda's metric `Errors` rises; one bad job does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from minutehand.adapters.sharding import BUCKETS
from minutehand.domain.errors import Unavailable, Unreadable
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import RunState
from minutehand.entrypoints import drain, sweep, tick, worker
from minutehand.usecases.ports.stores import Claim
from tests.unit.domain.examples import at, run, timer
from tests.unit.entrypoints.handling import Context, answer_with, body_of, record
from tests.unit.entrypoints.test_drain import dead
from tests.unit.usecases.stage import SHARDS, SUCCESS, Stage

EVER = 1000
BROKEN = Unreadable("item JOB#shop/report TIMER cannot be read by this version")


def metrics_in(text: str) -> dict[str, Any]:
    """The metrics in the printed lines; empty without any."""
    lines = [json.loads(line) for line in text.splitlines() if "_aws" in line]
    return {name: value for line in lines for name, value in line.items() if name != "_aws"}


def deny_everything(stage: Stage) -> None:
    for store in (stage.timers, stage.runs, stage.definitions, stage.namespaces, stage.permits, stage.calendars):
        for method in (
            "due",
            "due_packed",
            "record_tick",
            "get",
            "look",
            "within",
            "claim",
            "governing",
            "namespaces",
            "renewal",
        ):
            store.fails(method, times=EVER)


def test_a_tick_with_every_call_denied_raises_after_it_counted_the_problems(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.at("09:03")
    deny_everything(stage)
    with pytest.raises(
        Unavailable, match=r"nothing could be dispatched; problems: [0-9]+, the first: .*record_tick did not answer"
    ):
        tick.handler({}, Context())
    counted = metrics_in(capsys.readouterr().out)
    assert counted["TickProblems"] == [SHARDS + BUCKETS + 1]
    assert "Ticks" not in counted


def test_a_share_of_a_tick_whose_shards_cannot_be_read_raises(stage: Stage) -> None:
    stage.timers.fails("due", times=EVER)
    with pytest.raises(Unavailable, match="shard 1: due did not answer"):
        tick.handler({"shards": [1]}, Context())


def test_a_tick_that_reads_some_of_its_shards_does_not_raise(stage: Stage) -> None:
    stage.timers.fails("due", times=SHARDS)
    stage.timers.fails("due_packed", times=BUCKETS - 1)
    assert tick.handler({}, Context())["claimed"] == 0


@pytest.mark.parametrize("broken", ["claim", "send", "get"])
def test_a_tick_that_can_read_but_start_nothing_raises(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    stage.at("09:03")
    if broken == "claim":
        monkeypatch.setattr(stage.runs._port, "claim", lambda runs: [Claim.FAILED] * len(runs))
    elif broken == "send":
        stage.picky.refuses = lambda _message: True
    else:
        monkeypatch.setattr(stage.runs._port, "claim", lambda runs: [Claim.EXISTS] * len(runs))
        stage.runs.fails("get", times=EVER)
    with pytest.raises(Unavailable, match="nothing could be dispatched"):
        tick.handler({}, Context())


def test_a_tick_that_starts_one_job_does_not_raise_for_another(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.put(timer("09:02", "* * * * *", job=JobKey(namespace="shop", name="other")))
    stage.at("09:03")
    stage.picky.refuses = lambda message: message.run.job.name == "other"
    assert tick.handler({}, Context())["sent"] == 3


def test_a_tick_with_nothing_due_but_an_unreadable_job_does_not_raise(stage: Stage) -> None:
    stage.at("09:03")
    stage.runs.fails("claim", times=EVER, error=BROKEN)
    assert tick.handler({}, Context())["claimed"] == 0


def test_a_tick_with_nothing_due_does_not_raise(stage: Stage) -> None:
    stage.state.timers.clear()
    assert tick.handler({}, Context())["timers"] == 0


def test_a_batch_for_which_no_store_answers_raises_and_its_messages_are_hidden_for_seconds(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.at("09:02")
    answer_with(monkeypatch, SUCCESS)
    stage.runs.fails("get", times=EVER)
    event = {"Records": [record(1, body_of("09:01")), record(2, body_of("09:02")), record(3, "not a message")]}
    with pytest.raises(
        Unavailable, match="no message of a batch of 2 could be dealt with; the first problem: get did not"
    ):
        worker.handler(event, Context())
    assert stage.inbox.calls["hide"] == 2


def test_a_batch_of_which_one_run_was_made_returns_the_others(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.at("09:02")
    answer_with(monkeypatch, SUCCESS)
    stage.runs.refuses("move", lambda before, _after: before.key == run("09:02").key)
    answer = worker.handler({"Records": [record(1, body_of("09:01")), record(2, body_of("09:02"))]}, Context())
    assert [failure["itemIdentifier"] for failure in answer["batchItemFailures"]] == ["m2"]


@pytest.mark.parametrize("trouble", [BROKEN, ValueError("a bug")])
def test_a_run_that_is_bad_by_itself_does_not_fail_the_function(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    stage.at("09:02")
    answer_with(monkeypatch, SUCCESS)
    stage.runs.fails("move", times=EVER, error=trouble)
    assert len(worker.handler({"Records": [record(1, body_of("09:01"))]}, Context())["batchItemFailures"]) == 1


def test_a_sweep_that_finds_runs_but_can_read_or_send_none_raises(stage: Stage) -> None:
    stage.at("10:01")
    stage.runs.fails("look", times=EVER)
    with pytest.raises(Unavailable, match=r"no run could be sent again; .*look did not answer"):
        sweep.handler({}, Context())


def test_a_sweep_that_can_send_nothing_raises(stage: Stage) -> None:
    stage.at("10:01")
    stage.picky.refuses = lambda _message: True
    with pytest.raises(Unavailable, match=r"no run could be sent again; .*the queue did not take the message"):
        sweep.handler({}, Context())


def test_a_sweep_logs_each_run_that_it_could_not_send_and_does_not_raise_if_it_sent_another(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[dict[str, Any]] = []
    monkeypatch.setattr(sweep.logger, "warning", lambda message, **about: lines.append({"message": message} | about))
    stage.at("10:01")
    stage.state.runs = {run(minute).key: run(minute) for minute in ("09:57", "09:58")}
    stage.runs.refuses("move", lambda before, _after: before.key == run("09:57").key)
    assert sweep.handler({}, Context())["resent"] == 1
    failed = {(line["run_id"], line["problem"]) for line in lines if line["message"] != "run sent again"}
    assert failed == {(run("09:57").key.run_id, "move did not answer")}


def test_a_drain_for_which_no_store_answers_raises_and_leaves_the_other_letters_alone(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.runs.fails("get", times=EVER)
    letters = dead(monkeypatch, *[body_of("09:01")] * 5)
    with pytest.raises(Unavailable, match="no dead letter of a batch of 2"):
        drain.handler({}, Context())
    assert (letters.received, len(letters.held)) == (1, 5)


def test_a_drain_that_can_send_nothing_raises(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    dead(monkeypatch, body_of("09:01"))
    stage.picky.refuses = lambda _message: True
    with pytest.raises(
        Unavailable, match=r"no dead letter of a batch of 1 .* the queue did not take the run's message"
    ):
        drain.handler({}, Context())


def test_a_dead_letter_that_is_unreadable_does_not_fail_the_drain(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.runs.fails("get", times=EVER, error=BROKEN)
    dead(monkeypatch, body_of("09:01"), "{}")
    assert drain.handler({}, Context()) == {"drained": 0, "kept": 2}


def test_a_run_that_a_worker_or_the_drain_ends_without_a_call_is_counted(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_with(monkeypatch, SUCCESS)
    died = run("09:01", state=RunState.RUNNING, attempt=9, takeovers=9, lease_until=at("09:02"), started_at=at("09:01"))
    handlers: list[tuple[Callable[..., Any], Any]] = [
        (worker.handler, {"Records": [record(1, body_of("09:01"))]}),
        (drain.handler, {}),
    ]
    for handle, event in handlers:
        stage.at("09:30")
        stage.state.runs[died.key] = died
        dead(monkeypatch, body_of("09:01"))
        handle(event, Context())
        assert stage.run("09:01").state is RunState.LOST
        assert metrics_in(capsys.readouterr().out)["RunsLost"] == [1]
        dead(monkeypatch, body_of("09:01"))
        handle(event, Context())
        assert "RunsLost" not in metrics_in(capsys.readouterr().out), "an end is counted once"


def test_a_lost_run_is_counted_even_if_its_dead_letter_cannot_be_deleted(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    died = run("09:01", state=RunState.RUNNING, attempt=9, takeovers=9, lease_until=at("09:02"), started_at=at("09:01"))
    stage.at("09:30")
    stage.state.runs[died.key] = died
    dead(monkeypatch, body_of("09:01")).away = ["delete"]
    with pytest.raises(Unavailable, match="delete did not answer"):
        drain.handler({}, Context())
    assert metrics_in(capsys.readouterr().out)["RunsLost"] == [1]
