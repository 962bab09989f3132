"""The simulation itself is tested: each rule of the protocol, broken on purpose, must be noticed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryTimers
from minutehand.domain import deciding
from minutehand.domain.deciding import Done, Skip, Start, Wait
from minutehand.domain.planning import Plan
from minutehand.domain.run import Run, RunKey, RunState, SkipReason
from minutehand.usecases import dispatch, execute, manage
from minutehand.usecases.dispatch import Tally
from minutehand.usecases.ports import Claim
from minutehand.usecases.world import World
from tests.simulation.checker import violations
from tests.simulation.observed import ObservedDefinitions, ObservedRuns
from tests.simulation.scenario import Scenario

MOST_SEEDS = 400
Patch = pytest.MonkeyPatch


def a_dropped_duplicate(patch: Patch) -> None:
    def drop(wanted: Sequence[Run], _world: World, _ready: list[Run], handled: set[RunKey], _tally: Tally) -> None:
        handled.update(run.key for run in wanted)

    patch.setattr(dispatch, "_resolve_existing", drop)


def a_skip_because_revisions_differ(patch: Patch) -> None:
    right = deciding._judge

    def judge(run: Run, definition: Any, calendars: Any) -> Skip | None:
        if definition and run.key.named_by_schedule and definition.revision != run.revision:
            return Skip(reason=SkipReason.SUPERSEDED, revision=definition.revision)
        return right(run, definition, calendars)

    patch.setattr(deciding, "_judge", judge)


def an_advance_despite_a_failed_claim(patch: Patch) -> None:
    right = dispatch._move

    def move(planned: Plan, _handled: set[RunKey]) -> Any:
        return right(planned, {RunKey.scheduled(planned.timer.job, t) for t in planned.occurrences})

    patch.setattr(dispatch, "_move", move)


def an_edit_that_does_not_settle_first(patch: Patch) -> None:
    def unsettled(world: World, key: Any, *, no_earlier_than: datetime) -> Any:
        return world.timers.get(key), max(world.clock().replace(microsecond=0), no_earlier_than)

    patch.setattr(manage, "_settled", unsettled)


def no_fence(patch: Patch) -> None:
    def move(self: ObservedRuns, before: Run, after: Run) -> Run:
        self._wrote(self._state.runs[before.key], after)
        self._state.runs[before.key] = after
        return after

    patch.setattr(ObservedRuns, "move", move)


def enqueue_before_claim(patch: Patch) -> None:
    def backwards(plans: Sequence[Plan], world: World, tally: Tally) -> None:
        wanted = [dispatch._new_run(p, t, world.clock()) for p in plans for t in p.occurrences]
        sent = world.outbox.send([dispatch.message_for(run) for run in wanted])
        claims = world.runs.claim(wanted)
        handled = {r.key for r, s, c in zip(wanted, sent, claims, strict=True) if s and c is not Claim.FAILED}
        world.timers.advance([m for m in (dispatch._move(p, handled) for p in plans) if m])

    patch.setattr(dispatch, "_claim_send_advance", backwards)


def an_edit_without_a_recheck(patch: Patch) -> None:
    right = ObservedDefinitions.save
    patch.setattr(ObservedDefinitions, "save", lambda self, change: right(self, change._replace(recheck=None)))


def a_skipped_range_without_a_recheck(patch: Patch) -> None:
    right = MemoryTimers.skip

    def skip(self: MemoryTimers, skipped: Any, move: Any, recheck: Any) -> bool:
        won = right(self, skipped, move, recheck)
        self._state.rechecks.pop((recheck.job, recheck.after, recheck.until), None)
        return won

    patch.setattr(MemoryTimers, "skip", skip)


def a_takeover_of_a_live_lease(patch: Patch) -> None:
    right = deciding._decide_running
    patch.setattr(
        deciding, "_decide_running", lambda run, definition, now: right(run, definition, now + timedelta(hours=1))
    )


def a_call_that_outlives_its_lease(patch: Patch) -> None:
    patch.setattr(execute, "TIME_TO_REPORT", timedelta(hours=-1))


def a_message_deleted_at_a_live_lease(patch: Patch) -> None:
    def decide(run: Run | None, definition: Any, **known: Any) -> Any:
        decision = deciding.decide(run, definition, **known)
        return Done() if isinstance(decision, Wait) and run and run.state is RunState.RUNNING else decision

    patch.setattr(execute, "decide", decide)


def a_trigger_without_a_deadline(patch: Patch) -> None:
    right = ObservedRuns.trigger

    def forgetful(self: ObservedRuns, run: Run, idempotency_key: str, deadline: Any) -> Run:
        stands = right(self, run, idempotency_key, deadline)
        self._state.deadlines.pop(deadline.run, None)
        return stands

    patch.setattr(ObservedRuns, "trigger", forgetful)


def a_trigger_that_forgets_its_key(patch: Patch) -> None:
    right = ObservedRuns.trigger

    def forgetful(self: ObservedRuns, run: Run, idempotency_key: str, deadline: Any) -> Run:
        self._state.keys_used.clear()
        return right(self, run, idempotency_key, deadline)

    patch.setattr(ObservedRuns, "trigger", forgetful)


def no_look_at_the_revision_in_effect(patch: Patch) -> None:
    def judge(run: Run, definition: Any, calendars: Any) -> Skip | None:
        return None

    patch.setattr(deciding, "_judge", judge)


def a_reopened_run_that_is_not_sent(patch: Patch) -> None:
    right = dispatch.message_for
    patch.setattr(dispatch, "message_for", right)
    original = dispatch._resolve_existing

    def resolve(wanted: Sequence[Run], world: World, ready: list[Run], handled: set[RunKey], tally: Tally) -> None:
        known = set(map(id, ready))
        original(wanted, world, ready, handled, tally)
        for run in [run for run in ready if id(run) not in known]:
            ready.remove(run)
            handled.add(run.key)

    patch.setattr(dispatch, "_resolve_existing", resolve)


def a_start_that_ignores_its_own_clock(patch: Patch) -> None:
    right = deciding.decide

    def decide(run: Run | None, definition: Any, **known: Any) -> Any:
        decision = right(run, definition, **known)
        if isinstance(decision, Wait) and run and run.state is RunState.QUEUED:
            return Start(attempt=run.attempt + 1, takeover=False)
        return decision

    patch.setattr(execute, "decide", decide)


MUTATIONS: list[Callable[[Patch], None]] = [
    a_dropped_duplicate,
    a_skip_because_revisions_differ,
    an_advance_despite_a_failed_claim,
    an_edit_that_does_not_settle_first,
    no_fence,
    enqueue_before_claim,
    an_edit_without_a_recheck,
    a_skipped_range_without_a_recheck,
    a_takeover_of_a_live_lease,
    a_call_that_outlives_its_lease,
    a_message_deleted_at_a_live_lease,
    a_trigger_without_a_deadline,
    a_trigger_that_forgets_its_key,
    no_look_at_the_revision_in_effect,
    a_reopened_run_that_is_not_sent,
    a_start_that_ignores_its_own_clock,
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_the_checker_notices(mutation: Callable[[Patch], None], monkeypatch: Patch) -> None:
    mutation(monkeypatch)
    for seed in range(MOST_SEEDS):
        scenario = Scenario(seed)
        scenario.play()
        if violations(scenario):
            return
    pytest.fail(f"{MOST_SEEDS} histories did not show what {mutation.__name__} breaks")
