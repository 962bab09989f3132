"""Reports, heartbeats and cancels of runs whose target answers later."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryRuns
from minutehand.domain.errors import Conflict, NotAllowed, NotFound, Unavailable
from minutehand.domain.policies import Backoff, Retry
from minutehand.domain.run import Progress, Result, Run, RunError, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.token import attempt_nonce
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.completion import cancel
from minutehand.usecases.completion.answers import FOREIGN, Speaker, heartbeat, report
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, job
from tests.unit.usecases.crashes import Died, attempts_never_repeat, live, rests, whatever_fails
from tests.unit.usecases.stage import SUCCESS, Stage

WAITS = Outcome(RunState.WAITING, Result("http", 202, "taken on"))
FAILED = Outcome(RunState.FAILED, None, RunError("OutOfPaper", "tray 2"))
BEATING = HttpTarget(method="GET", url="https://shop.test/", heartbeat=30 * SECOND)
RETRY = Retry(3, Backoff(initial=10 * SECOND, factor=1, jitter=0))


def due(**fields: Any) -> Stage:
    stage = Stage("08:59")
    stage.save(job("0 9 * * *", **{"timeout": 10 * MINUTE} | fields))
    stage.tick()
    return stage.at("09:00")


def waiting(**fields: Any) -> Stage:
    """The target of the 09:00 run has accepted the work."""
    stage = due(**fields)
    stage.work(lambda _: WAITS)
    return stage


def there(stage: Stage) -> Run:
    run = stage.run("09:00")
    assert run is not None
    return run


def speaker(stage: Stage, attempt: int = 1) -> Speaker:
    return Speaker(there(stage).key, attempt, f"token-{attempt}")


def test_a_run_that_is_answered_later_waits_with_a_message_that_leads_back() -> None:
    stage = waiting()
    run = there(stage)
    assert (run.state, run.result, run.finished_at) == (RunState.WAITING, WAITS.result, None)
    assert (run.deadline_at, run.lease_until) == (at("09:10"), at("09:10"))
    assert [(message.run, message.not_before) for message in stage.state.messages] == [(run.key, at("09:10"))]
    assert run.nonce == attempt_nonce("token-1")


@pytest.mark.parametrize("outcome", [SUCCESS, FAILED])
def test_a_report_ends_the_run_and_its_message_is_deleted(outcome: Outcome) -> None:
    stage = waiting()
    ended = report(stage.at("09:03").ports, speaker(stage), outcome)
    assert (ended.state, ended.finished_at, ended.duration) == (outcome.state, at("09:03"), 3 * MINUTE)
    assert there(stage) == ended
    assert stage.state.deadlines == {}
    [handled] = stage.at("09:10").work()
    assert (handled.deletable, handled.started, there(stage)) == (True, False, ended)


@pytest.mark.parametrize("outcome", [SUCCESS, FAILED])
def test_a_report_during_the_call_counts(outcome: Outcome) -> None:
    stage = due()

    def call(_call: Call) -> Outcome:
        report(stage.ports, speaker(stage), outcome)
        return WAITS

    [handled] = stage.work(call)
    assert (handled.deletable, handled.problem, there(stage).state) == (True, "", outcome.state)
    assert there(stage).result == outcome.result


def test_a_report_of_failure_is_retried_as_the_job_says() -> None:
    stage = waiting(retry=RETRY)
    again = report(stage.at("09:01").ports, speaker(stage), FAILED)
    assert (again.state, again.retry_at) == (RunState.RETRYING, at("09:01:10"))
    stage.at("09:01:10").work()
    assert (there(stage).state, there(stage).attempt) == (RunState.SUCCEEDED, 2)
    assert there(stage).attempts[0].error == FAILED.error


def test_a_retry_after_a_later_answer_is_on_a_watchlist_since_the_sweep_expects_the_answer_later() -> None:
    stage = waiting(retry=RETRY)
    report(stage.at("09:01").ports, speaker(stage), FAILED)
    [watchlist] = stage.state.watchlists
    assert watchlist.runs == (there(stage).key,)
    assert at("09:02:10") <= watchlist.look_at <= at("09:02:20")


def test_a_report_is_taken_even_if_the_watchlist_cannot_be_stored() -> None:
    stage = waiting(retry=RETRY)
    stage.sweeps.fails("watch")
    assert report(stage.at("09:01").ports, speaker(stage), FAILED).state is RunState.RETRYING
    assert [message.not_before for message in stage.state.messages][-1] == at("09:01:10")


@pytest.mark.parametrize("state", [RunState.SUCCEEDED, RunState.CANCELLED, RunState.TIMED_OUT, RunState.RETRYING])
@pytest.mark.parametrize("says", [lambda ports, who: report(ports, who, FAILED), heartbeat])
def test_an_answer_after_the_end_is_refused_and_changes_nothing(state: RunState, says: Any) -> None:
    stage = waiting()
    ended = replace(there(stage), state=state, finished_at=stage.now)
    stage.state.runs[ended.key] = ended
    with pytest.raises(Conflict, match=f"has ended: the run is {state.value}; nothing was changed"):
        says(stage.ports, speaker(stage))
    assert there(stage) == ended


def test_the_token_of_an_earlier_attempt_is_refused_as_over() -> None:
    stage = waiting(retry=RETRY)
    report(stage.ports, speaker(stage), FAILED)
    stage.at("09:00:10").work(lambda _: WAITS)
    before = there(stage)
    for says in (lambda: report(stage.ports, speaker(stage), SUCCESS), lambda: heartbeat(stage.ports, speaker(stage))):
        with pytest.raises(Conflict, match=r"attempt 1 of run .* is over: the run is at attempt 2, waiting"):
            says()
    assert there(stage) == before


@pytest.mark.parametrize(
    "foreign",
    [
        Speaker(RunKey.scheduled(KEY, at("09:00")), 1, "token-2"),
        Speaker(RunKey.scheduled(KEY, at("09:00")), 1, ""),
        Speaker(RunKey.scheduled(KEY, at("09:00")), 1, attempt_nonce("token-1")),
        Speaker(RunKey.scheduled(KEY, at("09:00")), 2, "token-1"),
        Speaker(RunKey.scheduled(KEY, at("09:00")), 0, ""),
        Speaker(RunKey.scheduled(KEY, at("09:01")), 1, "token-1"),
    ],
)
def test_every_foreign_token_is_refused_alike(foreign: Speaker) -> None:
    stage = waiting()
    before = there(stage)
    for says in (lambda: report(stage.ports, foreign, SUCCESS), lambda: heartbeat(stage.ports, foreign)):
        with pytest.raises(NotAllowed) as refused:
            says()
        assert FOREIGN in str(refused.value)
    assert there(stage) == before


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


@pytest.mark.parametrize("target", [BEATING, HttpTarget(method="GET", url="https://shop.test/")])
def test_an_answer_at_the_end_of_the_lease_is_too_late(target: HttpTarget) -> None:
    stage = waiting(target=target, timeout=30 * SECOND)
    with pytest.raises(Conflict, match="was due to report by 2026-11-20T09:00:30Z"):
        report(stage.at("09:00:30").ports, speaker(stage), SUCCESS)
    assert there(stage).state is RunState.WAITING


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


# -- cancel ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["queued", "retrying", "waiting"])
def test_a_run_without_a_call_under_way_is_cancelled_at_once(state: str) -> None:
    stage = due(retry=RETRY)
    if state != "queued":
        stage.work(lambda _: FAILED if state == "retrying" else WAITS)
    assert there(stage).state is RunState(state)
    ended = cancel.cancel(stage.ports, there(stage).key, who="ada")
    assert (ended.state, ended.cancelled_by, ended.finished_at) == (RunState.CANCELLED, "ada", at("09:00"))
    assert (ended.retry_at, ended.deadline_at) == (None, None), "nothing is to follow, and no answer is waited for"
    assert stage.state.deadlines == {}
    assert cancel.cancel(stage.ports, ended.key, who="bob") == ended, "asking again changes nothing"
    stage.at("09:20").work()
    assert there(stage) == ended


def test_a_run_with_heartbeats_is_marked_and_ends_with_the_next_one() -> None:
    stage = waiting(target=BEATING)
    marked = cancel.cancel(stage.ports, there(stage).key, who="ada")
    assert (marked.state, marked.cancelled_by) == (RunState.WAITING, "ada")
    ended = heartbeat(stage.at("09:00:10").ports, speaker(stage), Progress(70, "almost"))
    assert (ended.state, ended.cancelled_by, ended.progress) == (RunState.CANCELLED, "ada", Progress(70, "almost"))
    assert (ended.result, ended.deadline_at) == (WAITS.result, None)
    with pytest.raises(Conflict, match="cancelled"):
        report(stage.ports, speaker(stage), SUCCESS)


def test_a_run_that_waits_without_heartbeats_is_cancelled_at_once_though_its_job_has_them_now() -> None:
    stage = waiting()
    stage.at("09:00:10").save(job("0 9 * * *", timeout=10 * MINUTE, target=BEATING))
    assert cancel.cancel(stage.at("09:00:20").ports, there(stage).key, who="ada").state is RunState.CANCELLED


def test_a_cancelled_run_without_further_heartbeats_ends_with_its_lease() -> None:
    stage = waiting(target=BEATING, retry=RETRY)
    cancel.cancel(stage.ports, there(stage).key, who="ada")
    stage.at("09:00:30").work()
    assert (there(stage).state, there(stage).retry_at, there(stage).error) == (RunState.CANCELLED, None, None)


@pytest.mark.parametrize(("outcome", "state"), [(SUCCESS, RunState.SUCCEEDED), (FAILED, RunState.CANCELLED)])
def test_a_report_after_a_cancel(outcome: Outcome, state: RunState) -> None:
    stage = waiting(target=BEATING, retry=RETRY)
    cancel.cancel(stage.ports, there(stage).key, who="ada")
    assert report(stage.ports, speaker(stage), outcome).state is state


def test_a_cancelled_run_whose_worker_died_ends_cancelled() -> None:
    stage = due(timeout=MINUTE)
    received = Received(run=there(stage).key, attempt=1, receipt="r")

    def call(made: Call) -> Outcome:
        cancel.cancel(stage.ports, made.run.key, who="ada")
        raise Died

    with suppress(Died):
        stage.execute([received], call)
    assert (there(stage).state, there(stage).cancelled_by) == (RunState.RUNNING, "ada")
    stage.at("09:01:15").execute([received])
    assert (there(stage).state, there(stage).attempt) == (RunState.CANCELLED, 1)


@pytest.mark.parametrize("state", [RunState.SUCCEEDED, RunState.FAILED, RunState.SKIPPED, RunState.LOST])
def test_a_finished_run_cannot_be_cancelled(state: RunState) -> None:
    stage = due()
    ended = replace(there(stage), state=state)
    stage.state.runs[ended.key] = ended
    with pytest.raises(Conflict, match=f"has ended already: {state.value}"):
        cancel.cancel(stage.ports, ended.key, who="ada")
    assert there(stage) == ended


def test_a_missing_run_cannot_be_cancelled() -> None:
    with pytest.raises(NotFound):
        cancel.cancel(due().ports, RunKey.scheduled(KEY, at("10:00")), who="ada")


def test_a_start_that_races_with_a_cancel_comes_too_late() -> None:
    stage = due()
    stage.runs.before("move", lambda: cancel.cancel(stage.ports, there(stage).key, who="ada"))
    stage.work()
    assert (there(stage).state, stage.called) == (RunState.CANCELLED, [])


# -- whatever call fails -----------------------------------------------------------------------------


@pytest.mark.thorough
def test_whatever_call_fails_a_report_is_written_and_followed_up() -> None:
    """A job with a fixed delay, whose next run is the follow-up."""

    def play() -> Stage:
        stage = Stage("09:00")
        stage.save(job("@after 1m", timeout=2 * MINUTE))
        stage.at("09:01").work(lambda _: WAITS)
        return stage.at("09:02")

    def scene(stage: Stage) -> None:
        run = stage.run("09:01")
        assert run is not None
        for _ in range(5):
            with suppress(Died, Conflict, Unavailable):  # a target that got no answer asks again
                report(stage.ports, Speaker(run.key, 1, "token-1"), SUCCESS)
                break
        stage.now += 10 * SECOND
        live(stage, "09:08")

    for trouble, stage in whatever_fails(play, scene):
        first = stage.run("09:01")
        assert first is not None
        assert (first.state, first.attempt) == (RunState.SUCCEEDED, 1), trouble
        following = stage.run("09:03") or stage.run("09:03:10")
        assert following is not None, f"{trouble}: {stage.claimed()}"
        assert following.state is RunState.SUCCEEDED, trouble
        attempts_never_repeat(stage)


@pytest.mark.parametrize("state", ["queued", "retrying", "waiting"])
@pytest.mark.thorough
def test_whatever_call_fails_a_cancelled_run_ends(state: str) -> None:
    def play() -> Stage:
        stage = due(retry=RETRY)
        if state != "queued":
            stage.work(lambda _: FAILED if state == "retrying" else WAITS)
        return stage

    def scene(stage: Stage) -> None:
        for _ in range(5):
            with suppress(Died, Unavailable):
                cancel.cancel(stage.ports, there(stage).key, who="ada")
                break
        live(stage, "09:12", lambda _: WAITS)

    for trouble, stage in whatever_fails(play, scene):
        assert (there(stage).state, there(stage).cancelled_by) == (RunState.CANCELLED, "ada"), trouble
        rests(stage)
