"""Claims: create the runs of planned occurrences, send their messages, advance their timers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING
from zlib import crc32

from minutehand.domain.errors import Unavailable, unanswered
from minutehand.domain.instants import SECOND, floor
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import CatchUp
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Deadline
from minutehand.usecases.dispatching.drafts import draft, new_run
from minutehand.usecases.dispatching.entries import entered
from minutehand.usecases.dispatching.send import SEND_WITHIN, longest_wait, message_for, send
from minutehand.usecases.dispatching.watchlists import claim_watched, claimed_late, watch
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Claim, Move

if TYPE_CHECKING:
    from minutehand.domain.planning import Plan

SPREAD = timedelta(minutes=1)
"""Time over which the starts of missed occurrences are spread, from their claim."""
_REOPENED = (SkipReason.PAUSED, SkipReason.SUPERSEDED, SkipReason.DELETED)


@dataclass(kw_only=True)
class DispatchReport:
    """Counters and problems of a dispatch, for logs and metrics.

    Attributes:
        timers: number of due timers that were handled.
        problems: a line for each failure; what failed stays due.
        parts: number of shards and buckets that were to be dispatched here.
        unread: how many of them could not be read at all.
        refused: how many timers and occurrences failed because a store or the queue did not answer.
        stopped_early: whether time ran out; what was not handled stays due.
        handed_over: number of shards and buckets that other invocations dispatch.
        latest: by how much the latest run that was claimed here was late by then; zero if none was.
    """

    timers: int = 0
    claimed: int = 0
    sent: int = 0
    advanced: int = 0
    skipped_ranges: int = 0
    parts: int = 0
    unread: int = 0
    refused: int = 0
    problems: list[str] = field(default_factory=list)
    stopped_early: bool = False
    handed_over: int = 0
    latest: timedelta = timedelta(0)

    def claims(self, runs: Collection[Run], now: datetime) -> None:
        """Add runs that were claimed at an instant."""
        self.claimed += len(runs)
        self.latest = max([self.latest, *(now - run.starts_at for run in runs)])

    def failed(self, problem: str, trouble: Exception) -> None:
        """Add a problem. It counts as refused unless the cause is one bad job: a bug that its timer meets, or an unreadable item."""
        self.problems.append(problem)
        self.refused += unanswered(trouble)

    @property
    def achieved_nothing(self) -> bool:
        """Whether the dispatch failed as a whole: no shard or bucket could be read, or the stores or the queue refused whatever was due."""
        done = self.sent + self.advanced + self.skipped_ranges + self.handed_over
        return not done and (self.refused > 0 or 0 < self.parts == self.unread)

    def add(self, other: DispatchReport) -> None:
        """Add the counters and problems of another report."""
        self.timers += other.timers
        self.claimed += other.claimed
        self.latest = max(self.latest, other.latest)
        self.sent += other.sent
        self.advanced += other.advanced
        self.skipped_ranges += other.skipped_ranges
        self.parts += other.parts
        self.unread += other.unread
        self.refused += other.refused
        self.problems += other.problems
        self.stopped_early = self.stopped_early or other.stopped_early
        self.handed_over += other.handed_over


def claim_send_advance(
    plans: Sequence[Plan], ports: Ports, report: DispatchReport, may_continue: Callable[[], bool]
) -> None:
    """Claim the runs of all these plans together, send them, and advance the timers. If the runs that exist already cannot be read
    together, they are read one by one while `may_continue` is true."""
    if not plans:
        return
    now = ports.clock()
    drafts = [draft(p, instant, now) for p in plans for instant in p.occurrences]
    ids = entered(drafts, ports)
    wanted = [new_run(each, now, entry=ids.get(each.key, "")) for each in drafts]
    outcomes = claim_watched(wanted, ports)
    ready = [run for run, outcome in zip(wanted, outcomes, strict=True) if outcome is Claim.CLAIMED]
    report.claims(ready, now)
    progress = _Progress(
        ready=ready,
        takes_over={p.timer.job for p in plans if p.rule.calendars or p.timer.outstanding == p.timer.next_at},
        outstanding={
            RunKey.scheduled(p.timer.job, p.timer.outstanding)
            for p in plans
            if p.timer.outstanding is not None and p.timer.outstanding != p.timer.next_at
        },
    )
    existing = [run for run, outcome in zip(wanted, outcomes, strict=True) if outcome is Claim.EXISTS]
    resolve_existing(existing, progress, ports, report, may_continue)
    slow = {p.timer.job for p in plans if p.timer.slow}
    sent = send(ready, ports, now, spread=spread_of(plans, now), slow=slow)
    handled = progress.handled | {run.key for run, accepted in zip(ready, sent, strict=True) if accepted}
    report.sent += sum(sent)
    if left := [run.key for run in wanted if run.key not in handled]:
        unclaimed, unsent = outcomes.count(Claim.FAILED), len(sent) - sum(sent)
        report.refused += unclaimed + unsent
        report.problems.append(
            f"occurrences that stay due for the next tick: {len(left)} of {len(wanted)} ({unclaimed} not claimed, {unsent} not sent), "
            f"first {left[0].job} {left[0].run_id}"
        )
    moves = [move for move in (move_over(p, handled) for p in plans) if move]
    if moves:
        ports.timers.advance(moves)
    report.advanced += len(moves)


@dataclass(kw_only=True)
class _Progress:
    """State of a claim of several plans.

    Attributes:
        ready: runs whose messages are to be sent.
        takes_over: jobs whose timer takes over queued runs that an earlier revision claimed.
        outstanding: runs of fixed delays that were dispatched and have yet to end; their timers check that none was forgotten.
        handled: runs that need no message any more.
    """

    ready: list[Run]
    takes_over: set[JobKey]
    outstanding: set[RunKey]
    handled: set[RunKey] = field(default_factory=set)


def spread_of(plans: Sequence[Plan], now: datetime) -> Mapping[RunKey, datetime]:
    """Start times of missed occurrences, spread over the next minute within and among jobs, so that an outage does not end in a burst."""
    starts: dict[RunKey, datetime] = {}
    for planned in plans:
        timer, late = planned.timer, planned.missed(now)
        if not late:
            continue
        if len(late) == 1 or timer.catch_up is CatchUp.LATEST:
            starts |= _before_the_next(planned, late[0], now)
        else:
            step = SPREAD / timer.max_catch_up
            starts |= {RunKey.scheduled(timer.job, t): now + n * step for n, t in enumerate(late)}
    return starts


def _before_the_next(planned: Plan, late: datetime, now: datetime) -> dict[RunKey, datetime]:
    """Start times of a plan's one missed occurrence, and of those that became due since: these start a second after it at the
    earliest. A hash of the job chooses the second at which it starts, before the next occurrence."""
    job = planned.timer.job
    following = [t for t in (*planned.occurrences, planned.next_at) if t is not None and t > late]
    due = {t: t + planned.rule.jitter_of(job, t) for t in following}
    room = min((SPREAD, *(start - now for start in due.values())))
    first = crc32(str(job).encode()) % (room // SECOND) * SECOND if room >= SECOND else timedelta(0)
    behind = {RunKey.scheduled(job, t): now + SECOND for t, start in due.items() if start <= now}
    return {RunKey.scheduled(job, late): now + first, **behind}


def resolve_existing(
    wanted: Sequence[Run], progress: _Progress, ports: Ports, report: DispatchReport, may_continue: Callable[[], bool]
) -> None:
    """Decide for each run that existed before whether it is to be sent, reopened or is already handled."""
    if not wanted:
        return
    try:
        stored = ports.runs.get([run.key for run in wanted])
    except Unavailable as trouble:
        if len(wanted) == 1:
            report.failed(f"{wanted[0].key} could not be read again: {trouble}", trouble)
            return
        for one in wanted:
            if not may_continue():
                return
            resolve_existing([one], progress, ports, report, may_continue)
        return
    for new in wanted:
        run: Run | None = stored.get(new.key)
        if run is not None and _is_superseded(run, new, progress.takes_over):
            try:
                run = ports.runs.move(run, replace(new, entry=run.entry))
            except Unavailable as trouble:
                report.failed(f"{new.key} could not be reopened: {trouble}", trouble)
                continue
        if run is None or _is_superseded(run, new, progress.takes_over):
            continue
        # A fixed delay's outstanding run needs a message if it has ended, or if a worker should have started or checked it by now.
        # If it is not due yet, its message is on its way, and another one would be superfluous.
        outstanding = run.key in progress.outstanding
        if run.state is RunState.QUEUED or (outstanding and (run.state.finished or run.wakes_at <= ports.clock())):
            progress.ready.append(run)
        else:
            progress.handled.add(run.key)


def _is_superseded(run: Run, new: Run, takes_over: set[JobKey]) -> bool:
    """Whether a new claim replaces a stored run: the run has not begun, and an earlier revision of the job claimed it."""
    waits = (run.state is RunState.SKIPPED and run.skip_reason in _REOPENED) or (
        run.state is RunState.QUEUED and run.key.job in takes_over
    )
    return waits and run.revision < new.revision


def move_over(planned: Plan, handled: set[RunKey]) -> Move | None:
    """The move of a plan's timer to its first occurrence that was not both claimed and sent; None when the timer is there
    already. Of occurrences ahead of missed ones that remain, it goes as far as the first that was not."""
    timer, ahead = planned.timer, planned.ahead
    left = [t for t in planned.occurrences if RunKey.scheduled(timer.job, t) not in handled]
    if ahead is not None:
        ahead = ahead._replace(until=min((t for t in left if t >= ahead.first), default=ahead.until))
        left = [t for t in left if t < ahead.first]
    target = left[0] if left else planned.next_at
    if planned.advance_from is None or (target == planned.advance_from and ahead in (None, timer.ahead)):
        return None
    return move_of(planned, planned.advance_from, target)._replace(ahead=ahead)


def move_of(planned: Plan, old: datetime | None, new: datetime | None, runs_left: int | None = None) -> Move:
    """The `Move` that sets `next_at` of the plan's timer from `old` to `new`. Its UTC offset at `new` lets later time zone data
    correct it."""
    offset = None if new is None else planned.rule.schedule.offset_at(new)
    timer = planned.timer
    return Move(timer.job, timer.revision, old, new, offset, runs_left, packed=timer.packed)


def claim_counted(planned: Plan, ports: Ports, report: DispatchReport, may_continue: Callable[[], bool]) -> None:
    """Claim the occurrences of a job with `max_runs`: each claim and the move of the timer that counts it are one transaction.

    So every claimed run is counted even if this process dies; a deadline timer of the same transaction then sends its message.
    Claiming stops when `may_continue` is false, or when another process or an edit has moved the timer.
    """
    timer, now = planned.timer, ports.clock()
    left, current = timer.runs_left or 0, planned.advance_from
    spread = spread_of([planned], now)
    for instant, following in pairwise([*planned.occurrences, planned.next_at]):
        if instant is None or current is None or not may_continue():
            return
        run = new_run(draft(planned, instant, now), now)
        move = move_of(planned, current, following, left - 1)
        remind_at = max(floor(now) + SEND_WITHIN, run.starts_at - ports.look_ahead)
        deadline = Deadline(run=run.key, next_at=remind_at)
        if ports.runs.claim_counted(run, move, deadline):
            left -= 1
            report.claims([run], now)
            report.advanced += 1
        else:
            _pass_over(run, move, planned, ports)
            return
        current = following
        message = message_for(run, no_earlier_than=spread.get(run.key), slow=timer.slow)
        if run.starts_at - now <= longest_wait(ports) and all(ports.outbox.send([message])):
            report.sent += 1
            if claimed_late(run, ports.clock()):
                watch([run], ports)
            ports.timers.settle(deadline)
    if not planned.occurrences and planned.advance_from != planned.next_at and current is not None:
        ports.timers.advance([move_of(planned, current, planned.next_at)])


def _pass_over(run: Run, move: Move, planned: Plan, ports: Ports) -> None:
    """Move the timer past an occurrence that cannot be claimed again, because its run has begun or ended. An edit had started the
    timer anew, without counting that run.

    A run that began counts against `max_runs` again. One that was cancelled before it began does not: otherwise each edit would
    count it once more.
    """
    stored = ports.runs.get([run.key]).get(run.key)
    if stored is None or stored.revision >= run.revision or stored.state is RunState.QUEUED or stored.never_began:
        return
    if stored.attempt == 0:
        # Move to the second after the occurrence; planning finds the next one from there.
        move = move_of(planned, move.old, run.scheduled_for + SECOND)
    ports.timers.advance([move])
