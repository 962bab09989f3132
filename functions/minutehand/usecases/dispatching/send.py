"""Messages of runs: send them, send them again when a run is overdue, and store deadlines, which send them later."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType

from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import floor
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Deadline
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.messages import Message

LONGEST_WAIT = timedelta(minutes=13)
"""Longest time before its run starts that a message is sent, unless the look-ahead is longer. SQS delays messages by 15 minutes
at most."""
SEND_WITHIN = timedelta(seconds=30)
"""A deadline timer that is stored together with a new run is due after this time; the next tick then sends a run not yet sent."""
OVERDUE = timedelta(minutes=1)
"""An active run is overdue this long after a worker should have started or checked it, but not before this long after its claim."""
LONGEST_RESEND_WAIT = timedelta(days=1)
"""Maximum time between two resends of a run by the sweep."""
KEPT_AFTER_RESEND = 2 * LONGEST_RESEND_WAIT
"""Minimum retention of an active run after it was resent."""


def message_for(run: Run, *, no_earlier_than: datetime | None = None, slow: bool = False) -> Message:
    """The message that starts a run's next attempt when it is due; `slow` sends it to the slow lane at once."""
    at = run.wakes_at if no_earlier_than is None else max(run.wakes_at, no_earlier_than)
    retries = run.state is RunState.RETRYING
    return Message(run.key, run.attempt + 1, run.target, at, slow=slow, retries=retries)


def reminder(run: Run, not_before: datetime) -> Message:
    """A message that makes a worker read a run, at `not_before` or later, and do what is due for it: start it, take it over or end it."""
    return Message(run=run.key, attempt=run.attempt + 1, target=run.target, not_before=not_before)


def longest_wait(ports: Ports) -> timedelta:
    """Longest time that a message may be sent before its run starts.

    It is never shorter than the look-ahead, because a deadline timer is due that long before its run starts. If a message could not
    wait as long, the due timer would be stored again unchanged, and then removed as done.
    """
    return max(LONGEST_WAIT, ports.look_ahead)


def send(
    ready: Sequence[Run],
    ports: Ports,
    now: datetime,
    *,
    spread: Mapping[RunKey, datetime] = MappingProxyType({}),
    slow: Collection[JobKey] = (),
) -> Sequence[bool]:
    """Send each run's message so that it arrives when a worker should start or check the run. Returns whether each was accepted.

    A run that starts later than a message can wait gets a deadline timer instead, which sends it in time.

    Args:
        spread: later starts for some of the runs.
        slow: jobs known to be in the slow lane. The messages of others go to the quick lane, whose workers know better.
    """
    soon = [run for run in ready if run.wakes_at - now <= longest_wait(ports)]
    messages = [message_for(run, no_earlier_than=spread.get(run.key), slow=run.key.job in slow) for run in soon]
    sent = ports.outbox.send(messages) if messages else []
    accepted = {run.key: taken for run, taken in zip(soon, sent, strict=True)}
    for run in ready:
        if run.key not in accepted:
            accepted[run.key] = _remind(run, run.wakes_at - ports.look_ahead, ports)
    return [accepted[run.key] for run in ready]


def _remind(run: Run, at: datetime, ports: Ports) -> bool:
    try:
        ports.timers.remind(Deadline(run=run.key, next_at=at))
    except Unavailable:
        return False
    return True


def overdue(run: Run, now: datetime, *, wait: timedelta) -> bool:
    """Whether a run should have begun or ended by now, and was not resent within `wait`."""
    if run.state.finished or (run.resent_at is not None and now < run.resent_at + wait):
        return False
    return overdue_at(run) <= now


def overdue_at(run: Run) -> datetime:
    """When an active run is overdue, unless a worker starts or checks it, or its target is heard of, before."""
    return max(run.wakes_at, run.claimed_at) + OVERDUE


def resend(run: Run, now: datetime, ports: Ports) -> bool:
    """Mark a run as resent and send its message; False if the run has changed meanwhile.

    Raises:
        Unavailable: when the store does not answer, or the queue does not take the message.
    """
    marked = _marked(run, now)
    if ports.runs.move(run, marked) != marked:
        return False
    if not _send_marked({run.key: (run, marked)}, now, ports):
        raise Unavailable(f"the queue did not take the message of run {run.key.run_id} of {run.key.job}")
    return True


Failed = Callable[[RunKey, Unavailable], None]
"""Takes each run that could not be read or sent, and why."""


def ignored(_run: RunKey, _trouble: Unavailable) -> None:
    """Take no notice of a failed run; the next sweep finds it again."""


def resend_each(runs: Sequence[Run], now: datetime, ports: Ports, failed: Failed = ignored) -> Collection[RunKey]:
    """Mark runs as resent and send their messages together. Returns the keys of those for which both were done. A store that does not
    answer for one run stops no other; `failed` gets each run for which it does not."""
    marked: dict[RunKey, tuple[Run, Run]] = {}
    for run in runs:
        wanted = _marked(run, now)
        try:
            if ports.runs.move(run, wanted) == wanted:
                marked[run.key] = run, wanted
        except Unavailable as trouble:
            failed(run.key, trouble)
    try:
        sent = _send_marked(marked, now, ports)
    except Unavailable:
        sent = frozenset()
    for key in marked.keys() - set(sent):
        failed(key, Unavailable("the queue did not take the message"))
    return sent


def _marked(run: Run, now: datetime) -> Run:
    """The run as resent. Its record is kept until the next resend at least: an outage may last longer than the job's `retention`."""
    return replace(run, resent_at=now, expires_at=max(run.expires_at, floor(now) + KEPT_AFTER_RESEND))


def _send_marked(marked: Mapping[RunKey, tuple[Run, Run]], now: datetime, ports: Ports) -> Collection[RunKey]:
    """Send runs that were just marked as resent. Where the queue refuses a message, the mark is taken back, so that the next try need
    not wait."""
    sent = ports.outbox.send([reminder(run, now) for run, _ in marked.values()]) if marked else []
    for (run, wanted), accepted in zip(marked.values(), sent, strict=True):
        if not accepted:
            with suppress(Unavailable):
                ports.runs.move(wanted, run)
    return {key for key, accepted in zip(marked, sent, strict=True) if accepted}
