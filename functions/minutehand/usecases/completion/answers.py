"""Answers: what targets say of an attempt by themselves, with the attempt's token: that it ended, how far it is, that they are alive."""

from __future__ import annotations

import hmac
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from minutehand.domain.errors import Conflict, NotAllowed, Unavailable
from minutehand.domain.instants import floor, to_text
from minutehand.domain.job import Definition
from minutehand.domain.run import Progress, Run, RunKey, RunState
from minutehand.domain.timer import Deadline
from minutehand.domain.token import attempt_nonce
from minutehand.usecases.completion.cancel import cancelled
from minutehand.usecases.completion.follow_up import follow_up
from minutehand.usecases.completion.keep_output import keep_output, stored_of
from minutehand.usecases.completion.metering import with_heartbeat, with_report
from minutehand.usecases.completion.report import PREVIEW, concluded
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.target import Outcome
from minutehand.usecases.retry_when_unavailable import retry_when_unavailable

FOREIGN = "this token is not one of this attempt of this run; send the one that the call came with"
"""What is said to everybody who has no such token, whether there is such a run or not."""
_TRIES = 5
_ANSWERABLE = (RunState.RUNNING, RunState.WAITING)


class Speaker(NamedTuple):
    """Who says something of an attempt."""

    run: RunKey
    attempt: int
    token: str


def report(ports: Ports, speaker: Speaker, outcome: Outcome) -> Run:
    """End the attempt as its target says, `SUCCEEDED` or `FAILED`; the run as it then stands: ended, or to be tried again.

    Raises:
        NotAllowed: when there is no such run or attempt, or the token is not that attempt's.
        Conflict: when the attempt is over already; nothing changes.
    """
    definition = ports.definitions.get([speaker.run.job]).get(speaker.run.job)
    for _ in range(_TRIES):
        run = _speaking_of(ports, speaker)
        now = ports.clock()
        after, output = concluded(run, outcome, definition, now)
        if output is not None:
            keep_output(ports.outputs, run.key, run.attempt, output, now)
        if definition is not None and definition.job.record_units:
            after = with_report(run, after, definition, ports.clock(), stored=stored_of(output))
        if _settled(ports, run, after, definition):
            return after
    raise _kept_moving(speaker)


def heartbeat(ports: Ports, speaker: Speaker, progress: Progress | None = None) -> Run:
    """Say that the target is alive, and how far it is; the run as it then stands.

    A waiting run whose end was asked for ends here: the target is told by the answer, and reports no more. What it said last of
    its progress stays.

    Raises:
        NotAllowed, Conflict: as `report` does.
    """
    definition = ports.definitions.get([speaker.run.job]).get(speaker.run.job)
    for _ in range(_TRIES):
        run = _speaking_of(ports, speaker)
        told = run if progress is None else replace(run, progress=progress._replace(text=_cut(progress.text)))
        if run.state is RunState.WAITING and run.cancelled_by:
            after = cancelled(told, ports, by=run.cancelled_by)
            if _settled(ports, run, after, definition):
                return after
            continue
        after = replace(told, lease_until=_heard(run, definition, ports))
        if after == run:
            return after
        if definition is not None and definition.job.record_units:
            after = with_heartbeat(run, after, definition)
        if ports.runs.move(run, after) == after:
            return after
    raise _kept_moving(speaker)


def _heard(run: Run, definition: Definition | None, ports: Ports) -> datetime | None:
    """Until when nothing more need be heard of a waiting run; a running one is its worker's."""
    if run.state is not RunState.WAITING or definition is None:
        return run.lease_until
    if definition.job.target.heartbeat is None:  # not any more, perhaps
        return run.deadline_at or run.lease_until
    heard = ports.clock() + definition.job.target.heartbeat
    return heard if run.deadline_at is None else min(heard, run.deadline_at)


def _speaking_of(ports: Ports, speaker: Speaker) -> Run:
    """The run, if its attempt is the one that the token is for, and can still be answered."""
    run = ports.runs.get([speaker.run]).get(speaker.run)
    nonces = {} if run is None else {one.number: one.nonce for one in run.attempts} | {run.attempt: run.nonce}
    known = nonces.get(speaker.attempt) or ""
    # Compared in constant time, and told apart from a run that does not exist in no way.
    if not hmac.compare_digest(known.encode(), attempt_nonce(speaker.token).encode()) or run is None:
        raise NotAllowed(FOREIGN)
    if run.attempt != speaker.attempt:
        over = f"attempt {speaker.attempt} of run {run.key.run_id} is over: the run is at attempt {run.attempt}"
        raise Conflict(f"{over}, {run.state.value}; stop, nothing was changed")
    if run.state not in _ANSWERABLE:
        raise Conflict(
            f"attempt {run.attempt} of run {run.key.run_id} has ended: the run is {run.state.value}; nothing was changed"
        )
    if run.state is RunState.WAITING and run.lease_until is not None and ports.clock() >= run.lease_until:
        # Another run may hold by now what this one held.
        until = to_text(run.lease_until)
        raise Conflict(
            f"attempt {run.attempt} of run {run.key.run_id} had to be heard of by {until}; nothing was changed"
        )
    return run


def _settled(ports: Ports, before: Run, after: Run, definition: Definition | None) -> bool:
    """End an attempt, and see to what follows. A deadline in the same transaction sees to it, should this process die."""
    deadline = Deadline(run=before.key, next_at=floor(ports.clock()))
    if retry_when_unavailable(lambda: ports.runs.move_reminding(before, after, deadline)) != after:
        return False
    try:
        if follow_up(after, definition, ports):
            ports.timers.settle(deadline)
    except Unavailable:
        pass  # to the target it is done: the deadline has a worker do the rest
    return True


def _kept_moving(speaker: Speaker) -> Conflict:
    return Conflict(f"run {speaker.run.run_id} kept moving while it was spoken of; try again")


def _cut(text: str) -> str:
    return text.encode()[:PREVIEW].decode(errors="ignore")
