"""The simulation itself is tested: each rule of the protocol, broken on purpose, must be noticed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryTimers
from minutehand.domain import planning, run_decisions
from minutehand.domain.calendar_filter import Unblocked
from minutehand.domain.errors import Unavailable
from minutehand.domain.occurrence_rule import rule_of
from minutehand.domain.planning import Plan
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.run_decisions import Done, Skip, Start, Wait
from minutehand.domain.run_key import RunKey
from minutehand.usecases.completion import child_runs
from minutehand.usecases.definitions import manage, revise, saved_timer
from minutehand.usecases.dispatching import claim, dispatch, drafts, send
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Claim, Move
from minutehand.usecases.running import attempt, deciding
from tests.simulation.mutations import Mutation, Patch, assert_noticed
from tests.simulation.observed import ObservedDefinitions, ObservedRuns


def a_dropped_duplicate(patch: Patch) -> None:
    def drop(wanted: Sequence[Run], found: Any, *_known: Any) -> None:
        found.handled.update(run.key for run in wanted)

    patch.setattr(claim, "resolve_existing", drop)


def a_skip_because_revisions_differ(patch: Patch) -> None:
    right = run_decisions.skip_by_policy

    def judge(run: Run, definition: Any, now: datetime) -> Skip | None:
        if definition and run.key.named_by_schedule and definition.revision != run.revision:
            return Skip(reason=SkipReason.SUPERSEDED, revision=definition.revision)
        return right(run, definition, now)

    patch.setattr(run_decisions, "skip_by_policy", judge)


def an_advance_despite_a_failed_claim(patch: Patch) -> None:
    right = claim.move_over

    def move(planned: Plan, _handled: set[RunKey]) -> Any:
        return right(planned, {RunKey.scheduled(planned.timer.job, t) for t in planned.occurrences})

    patch.setattr(claim, "move_over", move)


def an_edit_that_does_not_settle_first(patch: Patch) -> None:
    def unsettled(ports: Ports, key: Any, _read: Any, *, no_earlier_than: datetime) -> Any:
        return ports.timers.get(key), max(ports.clock().replace(microsecond=0), no_earlier_than)

    patch.setattr(manage, "_settled", unsettled)


def no_fence(patch: Patch) -> None:
    def move(self: ObservedRuns, before: Run, after: Run) -> Run:
        self._wrote(self._state.runs[before.key], after)
        self._state.runs[before.key] = after
        return after

    patch.setattr(ObservedRuns, "move", move)


def enqueue_before_claim(patch: Patch) -> None:
    def backwards(plans: Sequence[Plan], ports: Ports, *_known: Any) -> None:
        now = ports.clock()
        wanted = [drafts.new_run(drafts.draft(p, t, now), now) for p in plans for t in p.occurrences]
        sent = ports.outbox.send([send.message_for(run) for run in wanted])
        claims = ports.runs.claim(wanted)
        handled = {r.key for r, s, c in zip(wanted, sent, claims, strict=True) if s and c is not Claim.FAILED}
        ports.timers.advance([m for m in (claim.move_over(p, handled) for p in plans) if m])

    patch.setattr(dispatch, "claim_send_advance", backwards)


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
    right = run_decisions.decide_running
    patch.setattr(
        run_decisions, "decide_running", lambda run, definition, now: right(run, definition, now + timedelta(hours=1))
    )


def a_call_that_outlives_its_lease(patch: Patch) -> None:
    patch.setattr(attempt, "TIME_TO_REPORT", timedelta(hours=-1))


def a_message_deleted_at_a_live_lease(patch: Patch) -> None:
    def decide(run: Run | None, *known: Any, **now: Any) -> Any:
        decision = run_decisions.decide(run, *known, **now)
        return Done() if isinstance(decision, Wait) and run and run.state is RunState.RUNNING else decision

    patch.setattr(deciding, "decide", decide)


def a_trigger_without_a_deadline(patch: Patch) -> None:
    right = ObservedRuns.trigger

    def forgetful(
        self: ObservedRuns, run: Run, idempotency_key: str, deadline: Any, *payload: Any, **audit: Any
    ) -> Run:
        triggered = right(self, run, idempotency_key, deadline, *payload, **audit)
        self._state.deadlines.pop(deadline.run, None)
        return triggered

    patch.setattr(ObservedRuns, "trigger", forgetful)


def a_trigger_that_forgets_its_key(patch: Patch) -> None:
    right = ObservedRuns.trigger

    def forgetful(
        self: ObservedRuns, run: Run, idempotency_key: str, deadline: Any, *payload: Any, **audit: Any
    ) -> Run:
        self._state.keys_used.clear()
        return right(self, run, idempotency_key, deadline, *payload, **audit)

    patch.setattr(ObservedRuns, "trigger", forgetful)


def no_look_at_the_revision_in_effect(patch: Patch) -> None:
    def judge(run: Run, definition: Any, now: datetime) -> Skip | None:
        return None

    patch.setattr(run_decisions, "skip_by_policy", judge)


def a_reopened_run_that_is_not_sent(patch: Patch) -> None:
    original = claim.resolve_existing

    def resolve(wanted: Sequence[Run], found: Any, *what: Any) -> None:
        known = set(map(id, found.ready))
        original(wanted, found, *what)
        for run in [run for run in found.ready if id(run) not in known]:
            found.ready.remove(run)
            found.handled.add(run.key)

    patch.setattr(claim, "resolve_existing", resolve)


def calendars_that_nobody_reads(patch: Patch) -> None:
    patch.setattr(Unblocked, "next", lambda self, after: self.rule.next(after))


def a_blocked_stretch_that_is_not_recorded(patch: Patch) -> None:
    right = planning.plan_blocked

    def plan(timer: Any, *known: Any) -> Plan:
        planned = right(timer, *known)
        return planned._replace(skipped=None, advance_from=timer.next_at) if planned.skipped else planned

    patch.setattr(planning, "plan_blocked", plan)


def runs_that_are_not_given_back(patch: Patch) -> None:
    right = saved_timer.runs_left_of
    patch.setattr(saved_timer, "runs_left_of", lambda *what, **known: right(*what, **(known | {"keeps": True})))


def a_claim_that_is_counted_later(patch: Patch) -> None:
    def apart(planned: Plan, ports: Ports, *_known: Any) -> None:
        left, current, now = planned.timer.runs_left or 0, planned.advance_from, ports.clock()
        for instant, following in pairwise([*planned.occurrences, planned.next_at]):
            assert instant is not None
            assert current is not None
            run = drafts.new_run(drafts.draft(planned, instant, now), now)
            ports.runs.claim([run])
            ports.outbox.send([send.message_for(run)])
            left -= 1
            ports.timers.advance([Move(planned.timer.job, planned.timer.revision, current, following, None, left)])
            current = following

    patch.setattr(dispatch, "claim_counted", apart)


def a_limited_job_that_runs_what_an_earlier_revision_claimed(patch: Patch) -> None:
    def superseded(run: Run, definition: Any, governing: Any) -> Skip | None:
        if rule_of(governing.rule).names(run.scheduled_for):
            return None
        return Skip(reason=SkipReason.SUPERSEDED, revision=definition.revision)

    patch.setattr(run_decisions, "superseded", superseded)


def a_start_that_ignores_its_own_clock(patch: Patch) -> None:
    right = run_decisions.decide

    def decide(run: Run | None, *known: Any, **now: Any) -> Any:
        decision = right(run, *known, **now)
        if isinstance(decision, Wait) and run and run.state is RunState.QUEUED:
            return Start(attempt=run.attempt + 1, takeover=False)
        return decision

    patch.setattr(deciding, "decide", decide)


def a_parents_message_that_goes_before_its_children_have_theirs(patch: Patch) -> None:
    right = child_runs.start_children

    def hasty(run: Run, definition: Any, ports: Ports) -> bool:
        with suppress(Unavailable):
            right(run, definition, ports)
        return True

    patch.setattr(child_runs, "start_children", hasty)


def a_childs_run_that_nobody_sends_again(patch: Patch) -> None:
    right = child_runs.send_children
    patch.setattr(child_runs, "send_children", lambda run, new, _existing, ports: right(run, new, [], ports))


def a_parents_edit_that_forgets_its_children(patch: Patch) -> None:
    right = revise.revised
    patch.setattr(manage, "revised", lambda *what, **known: replace(right(*what, **known), children=frozenset()))


def triggers_of_one_second_that_share_a_childs_run(patch: Patch) -> None:
    patch.setattr(child_runs, "starts_its_own_run", lambda _job, _parent: False)


def siblings_that_are_read_as_they_were_a_moment_ago(patch: Patch) -> None:
    right = ObservedRuns.between

    def stale(self: ObservedRuns, job: Any, after: datetime, until: datetime, **most: Any) -> Any:
        lately = self._history.engine.now - timedelta(seconds=5)
        runs = right(self, job, after, until, **most)
        return [run for run in runs if run.finished_at is None or run.finished_at < lately]

    patch.setattr(ObservedRuns, "between", stale)


def a_window_that_each_parent_takes_for_its_own(patch: Patch) -> None:
    right = child_runs.child_run

    def of_its_own(child: Any, window: Any, parents: Any, now: datetime) -> Run:
        run = right(child, window, parents, now)
        name = f"{run.key.run_id}-{parents[-1].key.job.name}"
        return replace(run, key=RunKey(run.key.job, name))

    patch.setattr(child_runs, "child_run", of_its_own)


MUTATIONS: list[Mutation] = [
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
    calendars_that_nobody_reads,
    a_blocked_stretch_that_is_not_recorded,
    runs_that_are_not_given_back,
    a_claim_that_is_counted_later,
    a_limited_job_that_runs_what_an_earlier_revision_claimed,
    a_start_that_ignores_its_own_clock,
    a_parents_message_that_goes_before_its_children_have_theirs,
    a_childs_run_that_nobody_sends_again,
    a_parents_edit_that_forgets_its_children,
    siblings_that_are_read_as_they_were_a_moment_ago,
    triggers_of_one_second_that_share_a_childs_run,
    a_window_that_each_parent_takes_for_its_own,
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_the_checker_notices(mutation: Mutation, monkeypatch: Patch) -> None:
    assert_noticed(mutation, monkeypatch)
