"""Dispatch: claim runs, then send their messages, then advance timers. Any process may repeat any step, after a crash anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import floor
from minutehand.domain.planning import Plan
from minutehand.domain.run import Run, RunState
from minutehand.domain.timer import BrokenTimer, Deadline, Due, Recheck, Timer, Watchdog
from minutehand.usecases.dispatching.claim import DispatchReport, claim_counted, claim_send_advance
from minutehand.usecases.dispatching.due_plans import plan_due, read_calendars, set_aside
from minutehand.usecases.dispatching.watchlists import send_watched
from minutehand.usecases.ports.bundle import Ports

ROUNDS = 8
"""How often, at most, one dispatch plans a job whose calendars block occurrences; what is due after that waits for the next
tick."""
MOST_TOGETHER = 250
"""Most occurrences that are claimed together, unless one job alone has more."""


def dispatch(
    due: Sequence[Due],
    *,
    ports: Ports,
    look_ahead: timedelta,
    report: DispatchReport,
    rounds: int = ROUNDS,
    may_continue: Callable[[], bool] = lambda: True,
) -> None:
    """Dispatch what is due for these timers, up to `look_ahead` from now. A failure of one is reported and delays no other.

    Args:
        rounds: how often, at most, one job is planned. A job whose calendars block only some of its due occurrences is planned
            repeatedly.
        may_continue: asked before each step; once it says no, the rest stays due.
    """
    now = floor(ports.clock())
    plans: list[Plan] = []
    calendars = read_calendars(due, ports, report)
    for timer in due:
        if not may_continue():
            return
        report.timers += 1
        try:
            match timer:
                case Timer():
                    planned = plan_due(timer, ports, calendars, report, now=now, until=now + look_ahead)
                    plans += [planned] if planned else []
                case BrokenTimer():
                    set_aside(timer, timer.problem, ports, now, report)
                case Deadline() if timer.next_at <= now:
                    found = ports.runs.get([timer.run])
                    _send_queued(timer, found.values(), ports, report)
                case Recheck() if timer.next_at <= now:
                    _send_queued(timer, ports.runs.between(timer.job, timer.after, timer.until), ports, report)
                case _:
                    pass
        except Exception as trouble:  # noqa: BLE001 - whatever is wrong with one timer must not delay another
            report.failed(f"{timer}: {trouble!r}", trouble)
    for batch in _batches(plans):
        if not may_continue():
            return
        _claim(batch, ports, report, may_continue)
    # Backfills come last: a step may take a second or two, and jobs that are due to the second must not wait for it.
    watchdogs = [timer for timer in due if isinstance(timer, Watchdog) and timer.next_at <= now]
    _run_watchdogs(watchdogs, ports, report, may_continue)
    blocked = [p for p in plans if p.rule.calendars and p.next_at and p.next_at <= now + look_ahead]
    if rounds > 1 and blocked:
        again = _moved_timers(blocked, ports, report, now)
        dispatch(again, ports=ports, look_ahead=look_ahead, report=report, rounds=rounds - 1, may_continue=may_continue)


def _batches(plans: Sequence[Plan]) -> Iterator[Sequence[Plan]]:
    """Batches of plans to claim together, each of at most `MOST_TOGETHER` occurrences, to bound memory. A job with `max_runs` is
    alone."""
    batch: list[Plan] = []
    occurrences = 0
    for planned in plans:
        if planned.timer.runs_left is not None:
            yield [planned]
            continue
        if batch and occurrences + len(planned.occurrences) > MOST_TOGETHER:
            yield batch
            batch, occurrences = [], 0
        batch.append(planned)
        occurrences += len(planned.occurrences)
    if batch:
        yield batch


def _claim(batch: Sequence[Plan], ports: Ports, report: DispatchReport, may_continue: Callable[[], bool]) -> None:
    try:
        if batch[0].timer.runs_left is None:
            claim_send_advance(batch, ports, report, may_continue)
        else:
            claim_counted(batch[0], ports, report, may_continue)
    except Unavailable as trouble:
        what = f"{len(batch)} timers" if len(batch) > 1 else str(batch[0].timer.job)
        report.failed(f"{what}: {trouble}", trouble)


def _run_watchdogs(
    watchdogs: Sequence[Watchdog], ports: Ports, report: DispatchReport, may_continue: Callable[[], bool]
) -> None:
    """Step each backfill whose watchdog timer is due, since no end of a run may have stepped it."""
    if not watchdogs:
        return
    from minutehand.usecases.dispatching import replay  # noqa: PLC0415 - most ticks meet no backfill

    for timer in watchdogs:
        if not may_continue():
            return
        try:
            replay.step(ports, timer.job, timer.backfill, watch=True)
        except Exception as trouble:  # noqa: BLE001 - whatever is wrong with one backfill must not delay another
            report.failed(f"{timer}: {trouble!r}", trouble)


def _moved_timers(plans: Sequence[Plan], ports: Ports, report: DispatchReport, now: datetime) -> Sequence[Timer]:
    """Read again the timers that these plans were to move. Returns those that now have another `next_at`, to be planned once more;
    their `max_catch_up` is lowered by the missed occurrences that the plans have dispatched."""
    found = []
    for planned in plans:
        try:
            timer = ports.timers.get(planned.timer.job)
        except Unavailable as trouble:
            report.failed(f"{planned.timer.job}: {trouble}", trouble)
            continue
        if isinstance(timer, Timer) and timer.next_at is not None and timer.next_at != planned.timer.next_at:
            left = planned.timer.max_catch_up - len(planned.missed(now))
            found.append(replace(timer, max_catch_up=left))
    return found


def _send_queued(timer: Deadline | Recheck, runs: Iterable[Run], ports: Ports, report: DispatchReport) -> None:
    """Send the messages that may be missing, and only then remove the deadline or recheck.

    Of the runs in a recheck's range, only queued ones may lack a message. The one run of a deadline gets a message in any state, so
    that a worker starts it, checks it, or follows up its end.
    """
    wanted = [run for run in runs if isinstance(timer, Deadline) or run.state is RunState.QUEUED]
    sent = send_watched(wanted, ports, ports.clock())
    report.sent += sum(sent)
    if all(sent):
        ports.timers.settle(timer)
    else:
        report.refused += len(sent) - sum(sent)
        report.problems.append(f"{timer} stays due; messages not sent: {len(sent) - sum(sent)} of {len(sent)}")
