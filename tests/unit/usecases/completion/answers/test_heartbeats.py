"""Heartbeats of runs whose target answers later."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.adapters.memory import MemoryRuns
from minutehand.domain.run import Progress, RunError, RunState
from minutehand.usecases.completion.answers import heartbeat, report
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import MINUTE, SECOND, at, job
from tests.unit.usecases.completion.answers.waiting import BEATING, RETRY, WAITS, due, speaker, there, waiting
from tests.unit.usecases.crashes import rests
from tests.unit.usecases.stage import SUCCESS


def test_heartbeats_postpone_the_lease_up_to_the_deadline() -> None:
    stage = waiting(target=BEATING, timeout=MINUTE)
    assert (there(stage).lease_until, there(stage).deadline_at) == (at("09:00:30"), at("09:01"))
    for clock, until in (("09:00:20", "09:00:50"), ("09:00:45", "09:01"), ("09:00:59", "09:01")):
        assert heartbeat(stage.at(clock).ports, speaker(stage)).lease_until == at(until)
    stage.at("09:01").work()
    assert (there(stage).state, there(stage).error) == (
        RunState.TIMED_OUT,
        RunError("AnswerMissed", "no answer by 2026-11-20T09:01:00Z"),
    )


def test_a_heartbeat_counts_though_its_job_has_none_any_more() -> None:
    stage = waiting(target=BEATING)
    stage.at("09:00:10").save(job("0 9 * * *", timeout=10 * MINUTE))
    assert heartbeat(stage.at("09:00:15").ports, speaker(stage)).lease_until == at("09:10")
    stage.at("09:00:30").work()
    assert there(stage).state is RunState.WAITING


def test_a_missed_heartbeat_ends_the_attempt() -> None:
    stage = waiting(target=BEATING)
    stage.at("09:00:29").work()
    assert there(stage).state is RunState.WAITING
    stage.at("09:00:30").work()
    assert (there(stage).state, there(stage).error) == (
        RunState.TIMED_OUT,
        RunError("HeartbeatMissed", "no heartbeat by 2026-11-20T09:00:30Z"),
    )
    assert there(stage).result == WAITS.result


def test_a_heartbeat_counts_against_a_worker_that_read_the_run_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = waiting(target=BEATING)
    read, right = [there(stage)], MemoryRuns.get
    heartbeat(stage.at("09:00:29").ports, speaker(stage))
    monkeypatch.setattr(
        MemoryRuns, "get", lambda self, keys: {run.key: run for run in [read.pop()]} if read else right(self, keys)
    )
    stage.at("09:00:30").work()
    assert (there(stage).state, there(stage).lease_until) == (RunState.WAITING, at("09:00:59"))


def test_a_missed_heartbeat_is_retried_as_a_time_out() -> None:
    stage = waiting(target=BEATING, retry=RETRY._replace(retry_on=("timed_out",)))
    stage.at("09:00:30").work()
    assert there(stage).state is RunState.RETRYING
    stage.at("09:00:40").work()
    assert [(one.state, one.error and one.error.type) for one in there(stage).attempts] == [
        (RunState.TIMED_OUT, "HeartbeatMissed")
    ]
    assert there(stage).state is RunState.SUCCEEDED


def test_many_heartbeats_wear_out_no_message() -> None:
    stage = waiting(target=BEATING, timeout=timedelta(hours=1))
    while stage.now < at("09:30"):
        stage.now += 20 * SECOND
        heartbeat(stage.ports, speaker(stage))
        assert all(handled.deletable for handled in stage.work())
    assert len(stage.state.messages) == 1
    report(stage.ports, speaker(stage), SUCCESS)
    stage.at("09:31").work()
    rests(stage)


def test_progress_is_kept_and_a_long_line_of_it_is_cut() -> None:
    stage = waiting(target=BEATING)
    assert heartbeat(stage.ports, speaker(stage), Progress(40, "ü" * 1000)).progress == Progress(40, "ü" * 128)
    heartbeat(stage.ports, speaker(stage))
    assert there(stage).progress == Progress(40, "ü" * 128), "a beat without any says nothing of it"


def test_a_heartbeat_of_a_running_attempt_leaves_its_worker_s_lease() -> None:
    stage = due(target=BEATING)
    leases = []

    def call(made: Call) -> Outcome:
        leases.append(made.run.lease_until)
        leases.append(heartbeat(stage.ports, speaker(stage), Progress(1, "begun")).lease_until)
        return SUCCESS

    stage.work(call)
    assert leases[0] == leases[1]
    assert (there(stage).state, there(stage).progress) == (RunState.SUCCEEDED, Progress(1, "begun"))


def test_a_token_that_is_cut_off_is_removed_from_progress() -> None:
    stage = waiting(target=BEATING)
    run = heartbeat(stage.at("09:00:10").ports, speaker(stage), Progress(percent=None, text="the token is token-"))
    assert run.progress == Progress(percent=None, text="the token is ****")
