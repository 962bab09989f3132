"""Answers: what a target reports of its attempt through the API, with the attempt's token: its end, its progress, a heartbeat."""

from __future__ import annotations

import hmac
from typing import NamedTuple

from minutehand.domain.definition import Definition
from minutehand.domain.errors import Conflict, NotAllowed
from minutehand.domain.instants import floor, to_text
from minutehand.domain.outcome import Outcome
from minutehand.domain.run import Progress, Run, RunKey, RunState
from minutehand.domain.run_successors import cancelled, concluded, heard_from, progressed
from minutehand.domain.timer import Deadline
from minutehand.domain.token import attempt_nonce
from minutehand.usecases.completion.follow_up import follow_up_under
from minutehand.usecases.completion.report import keep_output, stored_of
from minutehand.usecases.metering.usage_notes import with_heartbeat, with_report
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.outputs import whole
from minutehand.usecases.retries import CONTENDED, Contended, retry_on_conflict, retry_when_unavailable

FOREIGN = "the token does not belong to this attempt of this run; send the one that came with the call"
"""The answer to everybody without such a token, whether the run exists or not."""


class Speaker(NamedTuple):
    """The attempt that somebody reports on, and the token that proves they may."""

    run: RunKey
    attempt: int
    token: str


def report(ports: Ports, speaker: Speaker, outcome: Outcome) -> Run:
    """End the attempt as its target says, `SUCCEEDED` or `FAILED`. Answers the run as it is stored then: ended, or to be retried.

    Raises:
        NotAllowed: when there is no such run or attempt, or the token is not that attempt's.
        Conflict: when the attempt is over already; nothing changes.
    """
    definition = ports.definitions.get([speaker.run.job]).get(speaker.run.job)

    def update() -> Run | Contended[None]:
        run = _answerable_run(ports, speaker)
        now = ports.clock()
        after, overflows = concluded(run, outcome, definition, now)
        output = whole(outcome.result, outcome.error, run.expires_at) if overflows else None
        if output is not None:
            keep_output(ports.outputs, run.key, run.attempt, output, now)
        if definition is not None and definition.job.record_units:
            after = with_report(run, after, definition, ports.clock(), stored=stored_of(output))
        return _end(ports, run, after, definition)

    return retry_on_conflict(update, f"run {speaker.run.run_id}")


def heartbeat(ports: Ports, speaker: Speaker, progress: Progress | None = None) -> Run:
    """Record that the target is alive, and its progress. Answers the run as it is stored then.

    A waiting run that was cancelled ends here: the answer tells its target, which reports no more. The last progress stays.

    Raises:
        NotAllowed, Conflict: as `report` does.
    """
    definition = ports.definitions.get([speaker.run.job]).get(speaker.run.job)

    def update() -> Run | Contended[None]:
        run = _answerable_run(ports, speaker)
        after = progressed(run, progress)
        if run.state is RunState.WAITING and run.cancelled_by:
            return _end(ports, run, cancelled(after, ports.clock(), by=run.cancelled_by), definition)
        after = heard_from(after, definition, ports.clock())
        if after == run:
            return after
        if definition is not None and definition.job.record_units:
            after = with_heartbeat(run, after, definition)
        return after if ports.runs.move(run, after) == after else CONTENDED

    return retry_on_conflict(update, f"run {speaker.run.run_id}")


def _answerable_run(ports: Ports, speaker: Speaker) -> Run:
    """The run, if the token is for its newest attempt, and that can still be answered."""
    run = ports.runs.get([speaker.run]).get(speaker.run)
    nonces = {} if run is None else {one.number: one.nonce for one in run.attempts} | {run.attempt: run.nonce}
    known = nonces.get(speaker.attempt) or ""
    # Compared in constant time; the answer is the same whether the run exists or not.
    if not hmac.compare_digest(known.encode(), attempt_nonce(speaker.token).encode()) or run is None:
        raise NotAllowed(FOREIGN)
    if run.attempt != speaker.attempt:
        over = f"attempt {speaker.attempt} of run {run.key.run_id} is over: the run is at attempt {run.attempt}"
        raise Conflict(f"{over}, {run.state.value}; stop, nothing was changed")
    attempt = f"attempt {run.attempt} of run {run.key.run_id}"
    if run.state not in (RunState.RUNNING, RunState.WAITING):
        raise Conflict(f"{attempt} has ended: the run is {run.state.value}; nothing was changed")
    if run.state is RunState.WAITING and run.lease_until is not None and ports.clock() >= run.lease_until:
        # Another run may hold by now what this one held.
        raise Conflict(f"{attempt} was due to report by {to_text(run.lease_until)}; nothing was changed")
    return run


def _end(ports: Ports, before: Run, after: Run, definition: Definition | None) -> Run | Contended[None]:
    """Write the end of an attempt with a deadline in the same transaction, which follows it up should this process die."""
    deadline = Deadline(run=before.key, next_at=floor(ports.clock()))
    if retry_when_unavailable(lambda: ports.runs.move_reminding(before, after, deadline)) != after:
        return CONTENDED
    follow_up_under(deadline, after, definition, ports)
    return after
