"""Overlap: what becomes of a run that is to start while another of its job is active."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.errors import Conflict, NotAllowed
from minutehand.domain.job import Backoff, HttpTarget, Overlap, Retry
from minutehand.domain.permit import Permit, lock_of
from minutehand.domain.run import Result, Run, RunError, RunKey, RunState, SkipReason
from minutehand.usecases.by_hand.trigger import trigger
from minutehand.usecases.definitions import manage
from minutehand.usecases.ending import cancel
from minutehand.usecases.ending.answers import Speaker, heartbeat, report
from minutehand.usecases.ports.calling import Call, Outcome
from minutehand.usecases.ports.messages import Received
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, job
from tests.unit.usecases.crashes import Died, attempts_never_repeat, held, in_order, live, rests, states, whatever_fails
from tests.unit.usecases.stage import SUCCESS, Stage

HOUR = timedelta(hours=1)
WAITS = Outcome(RunState.WAITING, Result("http", 202, ""))
FAILED = Outcome(RunState.FAILED, None, RunError("HttpStatus", "HTTP 503"))
BEATING = HttpTarget(method="GET", url="https://shop.test/", heartbeat=5 * MINUTE)
ALONE = [policy for policy in Overlap if policy is not Overlap.ALLOW]
QUEUES = [Overlap.QUEUE_ONE, Overlap.QUEUE_ALL]

QUEUED, RUNNING, WAITING = RunState.QUEUED, RunState.RUNNING, RunState.WAITING
SUCCEEDED, SKIPPED, CANCELLED = RunState.SUCCEEDED, RunState.SKIPPED, RunState.CANCELLED


class Later(Stage):
    """A stage whose target takes work on, and says when a test does that it is done."""

    def __init__(self, overlap: Overlap, **fields: object) -> None:
        super().__init__("08:59")
        self.tokens: dict[RunKey, str] = {}
        self.save(**{"overlap": overlap, "timeout": HOUR} | fields)

    def takes_on(self, made: Call) -> Outcome:
        self.tokens[made.run.key] = made.token
        return WAITS

    def pass_to(self, clock: str) -> None:
        """A tick at the clock time, and what has arrived by then."""
        self.at(clock).tick()
        self.work(self.takes_on)

    def look(self, scheduled_for: str) -> None:
        """A message of a run arrives."""
        run = self.there(scheduled_for)
        self.execute([Received(run=run.key, attempt=run.attempt + 1, receipt="r")], self.takes_on)

    def end(self, scheduled_for: str, outcome: Outcome = SUCCESS) -> Run:
        """Have the target say how a run ended."""
        run = self.there(scheduled_for)
        return report(self.world, Speaker(run.key, run.attempt, self.tokens[run.key]), outcome)

    def there(self, scheduled_for: str) -> Run:
        run = self.run(scheduled_for)
        assert run is not None
        return run

    def states(self, *clocks: str) -> list[RunState]:
        return [self.there(clock).state for clock in clocks]

    @property
    def lock(self) -> Permit:
        return self.state.permits.get(lock_of(KEY), Permit(lock_of(KEY)))


def held_by_nine(overlap: Overlap, **fields: object) -> Later:
    """The run of nine waits for its answer, and it is a minute past."""
    stage = Later(overlap, **fields)
    stage.pass_to("09:00")
    stage.pass_to("09:01")
    return stage


# -- the policies ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("overlap", "first", "second"),
    [
        (Overlap.ALLOW, WAITING, WAITING),
        (Overlap.SKIP, WAITING, SKIPPED),
        (Overlap.QUEUE_ONE, WAITING, QUEUED),
        (Overlap.QUEUE_ALL, WAITING, QUEUED),
        (Overlap.REPLACE, CANCELLED, QUEUED),
    ],
)
def test_a_run_that_comes_while_another_is_active(overlap: Overlap, first: RunState, second: RunState) -> None:
    assert held_by_nine(overlap).states("09:00", "09:01") == [first, second]


def test_a_skipped_run_names_the_run_in_its_way() -> None:
    stage = held_by_nine(Overlap.SKIP)
    second = stage.there("09:01")
    assert (second.skip_reason, second.blocked_by) == (SkipReason.OVERLAP, stage.there("09:00").key.run_id)
    assert (second.attempt, second.finished_at) == (0, at("09:01"))
    stage.end("09:00")
    stage.pass_to("09:02")
    assert stage.states("09:00", "09:01", "09:02") == [SUCCEEDED, SKIPPED, WAITING]


@pytest.mark.parametrize("overlap", QUEUES)
def test_who_waits_is_woken_at_once_by_the_other_s_end(overlap: Overlap) -> None:
    stage = held_by_nine(overlap)
    assert stage.lock.waiting == (stage.there("09:01").key.run_id,)
    stage.at("09:01:20").end("09:00")
    stage.work(stage.takes_on)
    assert stage.states("09:00", "09:01") == [SUCCEEDED, WAITING]
    assert (stage.there("09:01").started_at, stage.there("09:01").lateness) == (at("09:01:20"), 20 * SECOND)
    assert stage.lock == Permit(lock_of(KEY), stage.there("09:01").key, 1)


@pytest.mark.parametrize("outcome", [SUCCESS, FAILED])
@pytest.mark.parametrize("ends", ["answer", "cancel", "limit"])
def test_however_the_other_ends_who_waits_goes_on(outcome: Outcome, ends: str) -> None:
    stage = held_by_nine(Overlap.QUEUE_ONE, timeout=5 * MINUTE)
    if ends == "answer":
        stage.end("09:00", outcome)
    elif ends == "cancel":
        cancel.cancel(stage.world, stage.there("09:00").key, who="ada")
    else:
        stage.at("09:05").work(stage.takes_on)
    stage.work(stage.takes_on)
    assert stage.there("09:00").state.finished
    assert stage.there("09:01").state is WAITING


def test_a_queue_of_one_keeps_the_first_that_came() -> None:
    stage = held_by_nine(Overlap.QUEUE_ONE)
    stage.pass_to("09:02")
    stage.pass_to("09:03")
    assert stage.states("09:00", "09:01", "09:02", "09:03") == [WAITING, QUEUED, SKIPPED, SKIPPED]
    assert {stage.there(clock).blocked_by for clock in ("09:02", "09:03")} == {stage.there("09:01").key.run_id}


def test_a_queue_goes_on_oldest_first() -> None:
    stage = held_by_nine(Overlap.QUEUE_ALL)
    stage.pass_to("09:02")
    stage.pass_to("09:03")
    stage.at("09:03:30")
    for done, begun in (("09:00", "09:01"), ("09:01", "09:02"), ("09:02", "09:03")):
        stage.end(done)
        stage.work(stage.takes_on)
        assert held(stage) == [begun + ":00"]
    assert [f"{key.scheduled_for:%H:%M}" for key, _ in stage.called] == ["09:00", "09:01", "09:02", "09:03"]


def test_a_later_one_that_comes_first_has_the_oldest_woken() -> None:
    stage = held_by_nine(Overlap.QUEUE_ALL)
    stage.pass_to("09:02")
    stage.at("09:02:30").outbox.fails("send")  # nobody is told of the end
    stage.end("09:00")
    stage.look("09:02")
    assert stage.states("09:01", "09:02") == [QUEUED, QUEUED]
    stage.work(stage.takes_on)
    assert stage.states("09:01", "09:02") == [WAITING, QUEUED]


def test_who_is_to_be_replaced_and_waits_is_cancelled_at_once_and_makes_way() -> None:
    stage = held_by_nine(Overlap.REPLACE)
    first, second = stage.there("09:00"), stage.there("09:01")
    assert (first.state, first.cancelled_by) == (CANCELLED, f"run {second.key.run_id}")
    assert first.result == WAITS.result, "what it has answered so far is kept"
    stage.work(stage.takes_on)
    assert stage.there("09:01").state is WAITING


def test_who_is_to_be_replaced_and_beats_learns_of_it_by_its_next_heartbeat() -> None:
    stage = held_by_nine(Overlap.REPLACE, target=BEATING)
    first = stage.there("09:00")
    assert (first.state, first.cancelled_by) == (WAITING, f"run {stage.there('09:01').key.run_id}")
    heartbeat(stage.world, Speaker(first.key, 1, stage.tokens[first.key]))
    stage.work(stage.takes_on)
    assert stage.states("09:00", "09:01") == [CANCELLED, WAITING]


def test_who_is_to_be_replaced_and_runs_is_flagged_and_waited_for() -> None:
    stage = Later(Overlap.REPLACE)
    stage.tick()
    seen = []

    def call(made: Call) -> Outcome:
        stage.at("09:01").look("09:01")
        seen.append((made.cancelled(), stage.states("09:00", "09:01")))
        stage.at("09:01:05")
        seen.append((made.cancelled(), stage.there("09:00").cancelled_by))
        return Outcome(CANCELLED, Result("http", 200, "half of it"))

    stage.at("09:00").work(call)
    second = stage.there("09:01").key.run_id
    assert seen[0][1] == [RUNNING, QUEUED]
    assert seen[1] == (True, f"run {second}")
    assert (stage.there("09:00").state, stage.there("09:00").result) == (CANCELLED, Result("http", 200, "half of it"))
    stage.work(stage.takes_on)
    assert stage.there("09:01").state is WAITING


def test_of_several_that_would_replace_another_the_newest_does() -> None:
    stage = held_by_nine(Overlap.REPLACE, target=BEATING)
    stage.pass_to("09:01:50")
    stage.pass_to("09:02")
    stage.end("09:00")
    stage.work(stage.takes_on)
    assert stage.states("09:00", "09:01", "09:02") == [SUCCEEDED, SKIPPED, WAITING]
    second = stage.there("09:01")
    assert (second.skip_reason, second.blocked_by) == (SkipReason.REPLACED, stage.there("09:02").key.run_id)


# -- those who die, retry and are cancelled ----------------------------------------------------------


def dead_at_nine(overlap: Overlap) -> Later:
    """The worker of the run of nine is dead; the run's lease ends at a quarter past one minute past nine."""
    stage = Later(overlap, timeout=MINUTE)
    stage.tick()

    def dies(_call: Call) -> Outcome:
        raise Died

    with suppress(Died):
        stage.at("09:00")
        first = stage.there("09:00").key
        stage.execute([Received(run=first, attempt=1, receipt="r")], dies)
    assert stage.there("09:00").lease_until == at("09:01:15")
    return stage


def test_a_dead_holder_is_in_the_way_until_its_lease_has_run_out() -> None:
    stage = dead_at_nine(Overlap.SKIP)
    stage.pass_to("09:01")
    stage.pass_to("09:02")
    assert stage.states("09:01", "09:02") == [SKIPPED, WAITING]


@pytest.mark.parametrize("overlap", QUEUES)
def test_who_waits_for_a_dead_holder_looks_again_when_its_lease_has_run_out(overlap: Overlap) -> None:
    stage = dead_at_nine(overlap)
    stage.pass_to("09:01")
    assert stage.state.hidden[-1][1] == 15 * SECOND
    stage.at("09:01:17").look("09:01")
    assert stage.there("09:01").state is QUEUED, "by another clock the dead one may still be alive"
    stage.at("09:01:18").look("09:01")
    assert stage.there("09:01").state is WAITING


@pytest.mark.parametrize("overlap", ALONE)
def test_a_take_over_waits_for_whoever_has_the_lock_by_now_and_is_never_skipped(overlap: Overlap) -> None:
    stage = dead_at_nine(overlap)
    stage.at("09:01:18").look("09:01")
    assert stage.there("09:01").state is WAITING
    stage.look("09:00")
    first = stage.there("09:00")
    assert (first.state, first.attempt) == (RUNNING, 1), "its next attempt has not begun"
    assert stage.there("09:01").state is WAITING, "nor is a later one replaced by it"
    stage.end("09:01")
    assert stage.there("09:01").state.finished
    stage.look("09:00")
    assert (stage.there("09:00").state, stage.there("09:00").attempt) == (WAITING, 2)


def test_a_run_that_is_to_be_retried_keeps_the_lock() -> None:
    retry = Retry(2, Backoff(initial=90 * SECOND, jitter=0))
    stage = held_by_nine(Overlap.SKIP, retry=retry)
    stage.at("09:01:10").end("09:00", FAILED)
    assert (stage.there("09:00").state, stage.there("09:00").retry_at) == (RunState.RETRYING, at("09:02:40"))
    stage.pass_to("09:02")
    assert stage.there("09:02").blocked_by == stage.there("09:00").key.run_id
    stage.at("09:02:40").work(stage.takes_on)
    assert (stage.there("09:00").state, stage.there("09:00").attempt) == (WAITING, 2)
    assert stage.lock == Permit(lock_of(KEY), stage.there("09:00").key, 2)


@pytest.mark.parametrize("overlap", QUEUES)
def test_who_waits_and_is_cancelled_gives_its_place_to_the_next(overlap: Overlap) -> None:
    stage = held_by_nine(overlap)
    cancel.cancel(stage.world, stage.there("09:01").key, who="ada")
    assert (stage.there("09:01").state, stage.there("09:01").attempt) == (CANCELLED, 0)
    stage.pass_to("09:02")
    assert stage.there("09:02").state is QUEUED
    stage.end("09:00")
    stage.work(stage.takes_on)
    assert stage.states("09:00", "09:01", "09:02") == [SUCCEEDED, CANCELLED, WAITING]
    assert stage.lock.waiting == ()


@pytest.mark.parametrize("overlap", QUEUES)
@pytest.mark.parametrize("stopped", ["paused", "deleted"])
def test_who_waits_and_whose_job_is_stopped_is_skipped_with_the_reason(overlap: Overlap, stopped: str) -> None:
    stage = held_by_nine(overlap)
    (manage.pause if stopped == "paused" else manage.delete)(stage.world, KEY, who="ada")
    stage.end("09:00")
    stage.work(stage.takes_on)
    assert (stage.there("09:01").state, stage.there("09:01").skip_reason) == (SKIPPED, SkipReason(stopped))


# -- who asks for a run ------------------------------------------------------------------------------


def triggered(stage: Later, **options: bool) -> RunKey:
    key = trigger(stage.world, KEY, idempotency_key="k", **options).run.key
    stage.work(stage.takes_on)
    return key


@pytest.mark.parametrize(
    ("overlap", "state"),
    [(Overlap.ALLOW, WAITING), (Overlap.SKIP, SKIPPED), (Overlap.QUEUE_ALL, QUEUED), (Overlap.REPLACE, WAITING)],
)
def test_a_run_that_is_asked_for_obeys_the_policy_too(overlap: Overlap, state: RunState) -> None:
    stage = Later(overlap)
    stage.pass_to("09:00")
    stage.at("09:00:30")
    key = triggered(stage)
    stage.work(stage.takes_on)
    assert stage.state.runs[key].state is state


@pytest.mark.parametrize("overlap", ALONE)
def test_a_run_that_is_asked_for_beside_others_starts_and_leaves_the_lock_alone(overlap: Overlap) -> None:
    stage = Later(overlap)
    stage.pass_to("09:00")
    lock = stage.lock
    key = triggered(stage.at("09:00:30"), ignore_overlap=True)
    assert stage.state.runs[key].state is WAITING
    assert stage.there("09:00").state is WAITING
    assert stage.lock == lock


def test_a_run_that_was_asked_for_is_in_the_way_of_a_scheduled_one() -> None:
    stage = Later(Overlap.SKIP, schedule="@manual")
    stage.at("08:59:30")
    key = triggered(stage)
    stage.save(overlap=Overlap.SKIP, timeout=HOUR)
    stage.pass_to("09:00")
    assert stage.there("09:00").blocked_by == key.run_id


def test_the_policy_of_the_newest_revision_counts() -> None:
    stage = Later(Overlap.ALLOW)
    stage.pass_to("09:00")
    stage.at("09:00:30").save(overlap=Overlap.SKIP, timeout=HOUR)
    stage.pass_to("09:01")
    assert stage.there("09:01").state is WAITING, "who began without the lock holds none"
    stage.pass_to("09:02")
    assert stage.there("09:02").blocked_by == stage.there("09:01").key.run_id


def test_another_job_is_in_nobody_s_way() -> None:
    stage = held_by_nine(Overlap.SKIP)
    other = replace(job(overlap=Overlap.SKIP), key=KEY._replace(name="stock"))
    stage.save(other)
    stage.pass_to("09:02")
    assert stage.state.runs[RunKey.scheduled(other.key, at("09:02"))].state is WAITING
    assert stage.there("09:02").state is SKIPPED


# -- what it costs, and races ------------------------------------------------------------------------


def test_a_job_that_may_overlap_reads_and_writes_no_permit() -> None:
    stage = held_by_nine(Overlap.ALLOW)
    stage.end("09:00")
    assert not stage.permits.calls
    assert stage.runs.calls["start"] == 0
    assert stage.state.permits == {}


def test_the_end_of_a_run_writes_nothing_to_its_lock() -> None:
    stage = Later(Overlap.SKIP)
    stage.pass_to("09:00")
    lock = stage.lock
    stage.end("09:00")
    assert set(stage.permits.calls) == {"get"}
    assert stage.lock == lock


@pytest.mark.parametrize(
    ("overlap", "state"), [(Overlap.SKIP, SKIPPED), (Overlap.QUEUE_ONE, QUEUED), (Overlap.QUEUE_ALL, QUEUED)]
)
def test_who_finds_the_lock_taken_since_it_was_read_judges_again(overlap: Overlap, state: RunState) -> None:
    stage = Later(overlap)
    stage.tick()
    stage.at("09:01").runs.before("start", lambda: stage.look("09:00"))
    stage.look("09:01")
    assert stage.states("09:00", "09:01") == [WAITING, state]


def test_who_begins_to_wait_while_the_other_ends_is_not_forgotten() -> None:
    stage = Later(Overlap.QUEUE_ONE)
    stage.pass_to("09:00")
    stage.permits.before("wait", lambda: stage.end("09:00"))
    stage.pass_to("09:01")
    assert stage.states("09:00", "09:01") == [SUCCEEDED, WAITING]


# -- whatever call fails -----------------------------------------------------------------------------


def burst(overlap: Overlap) -> Callable[[], Later]:
    """Three runs within half a minute, each of which takes longer than that."""

    def play() -> Later:
        return Later(overlap, schedule="0,10,20 0 9 * * *", timeout=2 * MINUTE, takeovers=5)

    return play


def answers_after(stage: Stage, took: timedelta) -> None:
    """Targets that have worked that long say that they are done, as long as they are heard."""
    assert isinstance(stage, Later)
    assert len(held(stage)) <= 1, f"{held(stage)} at once"
    for one in in_order(stage):
        under_way = one.state in (RUNNING, WAITING) and one.key in stage.tokens
        if under_way and one.started_at is not None and one.started_at + took <= stage.now:
            with suppress(Conflict, NotAllowed):  # it may know of an earlier attempt only
                report(stage.world, Speaker(one.key, one.attempt, stage.tokens[one.key]), SUCCESS)


def scene(stage: Stage) -> None:
    assert isinstance(stage, Later)
    live(stage, "09:13", stage.takes_on, meanwhile=lambda: answers_after(stage, 40 * SECOND))


@pytest.mark.parametrize(
    ("overlap", "good"),
    [
        (Overlap.SKIP, {SUCCEEDED, SKIPPED}),
        (Overlap.QUEUE_ONE, {SUCCEEDED, SKIPPED}),
        (Overlap.QUEUE_ALL, {SUCCEEDED}),
        (Overlap.REPLACE, {SUCCEEDED, SKIPPED, CANCELLED}),
    ],
)
@pytest.mark.thorough
def test_whatever_call_fails_runs_do_not_overlap_and_all_come_to_rest(overlap: Overlap, good: set[RunState]) -> None:
    for trouble, stage in whatever_fails(burst(overlap), scene):
        ended = states(stage)
        assert len(ended) == 3, trouble
        assert set(ended.values()) <= good | {RunState.TIMED_OUT}, f"{trouble}: {ended}"
        assert SUCCEEDED in ended.values(), f"{trouble}: {ended}"
        assert list(ended.values()).count(RunState.TIMED_OUT) <= 1, f"{trouble}: {ended}"
        attempts_never_repeat(stage)
        rests(stage)


@pytest.mark.parametrize("overlap", [Overlap.QUEUE_ALL, Overlap.REPLACE])
def test_an_end_that_is_met_again_wakes_nobody_once_another_has_started(overlap: Overlap) -> None:
    stage = held_by_nine(Overlap.QUEUE_ALL)
    stage.pass_to("09:02")
    stage.end("09:00")
    stage.work(stage.takes_on)
    assert stage.states("09:00", "09:01", "09:02") == [SUCCEEDED, WAITING, QUEUED]
    stage.save(overlap=overlap, timeout=HOUR)
    stage.state.messages.clear()
    stage.look("09:00")
    assert stage.state.messages == []
    stage.end("09:01")
    assert [message.run for message in stage.state.messages] == [stage.there("09:02").key]
