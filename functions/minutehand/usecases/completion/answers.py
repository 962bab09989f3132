"""Answers: what a target reports of its attempt through the API, with the attempt's token: its end, its progress, a heartbeat."""

from __future__ import annotations

import hmac
from contextlib import suppress
from typing import NamedTuple

from minutehand.domain.definition import Definition
from minutehand.domain.errors import Conflict, NotAllowed, Unavailable
from minutehand.domain.instants import floor, to_text
from minutehand.domain.outcome import Outcome
from minutehand.domain.redaction import redacted, without_pieces
from minutehand.domain.run import Progress, Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.run_successors import cancelled, concluded, heard_from, progressed
from minutehand.domain.timer import Deadline
from minutehand.domain.token import attempt_nonce
from minutehand.usecases.completion.follow_up import follow_up_under
from minutehand.usecases.completion.report import keep_output, stored_of
from minutehand.usecases.dispatching.watchlists import watch
from minutehand.usecases.metering.usage_notes import with_heartbeat, with_report
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.outputs import whole
from minutehand.usecases.retries import CONTENDED, Contended, retry_on_conflict, retry_when_unavailable

FOREIGN = "the token does not belong to this attempt of this run; send the one that came with the call"
"""Refusal of a report with the wrong token. It is the same when the run does not exist, so that it reveals nothing."""


class Speaker(NamedTuple):
    """One attempt of a run, and the secret token with which somebody asks to report on it."""

    run: RunKey
    attempt: int
    token: str

    @property
    def nonce(self) -> str:
        """The digest of the token."""
        return attempt_nonce(self.token)


class Witness(NamedTuple):
    """One attempt of a run, whose end AWS itself tells. Nobody needs to send its token then.

    Attributes:
        nonce: the digest of the attempt's token, as stored when the attempt began what has ended.
        token: the token, if what ended had quoted it; otherwise empty.
    """

    run: RunKey
    attempt: int
    nonce: str
    token: str = ""


def report(
    ports: Ports,
    speaker: Speaker | Witness,
    outcome: Outcome,
    progress: Progress | None = None,
    *,
    read: Run | None = None,
) -> Run:
    """End an attempt with the outcome that its target reports, and its last progress, if it tells one. Returns the run as stored: it has
    ended, or will be retried.

    The token and pieces of it are removed from what is kept. The secrets of the call are not: this function does not know them.

    Args:
        read: the run, if the caller just read it with `answerable_run`.

    Raises:
        NotAllowed: when there is no such run or attempt, or the token is not that attempt's.
        Conflict: when the attempt is over already; nothing changes.
    """
    definition = ports.definitions.get([speaker.run.job]).get(speaker.run.job)
    outcome = redacted(outcome, (speaker.token,), pieces=True)
    progress = _without_token(progress, speaker)

    def update() -> Run | Contended[None]:
        nonlocal read
        run, read = read or answerable_run(ports, speaker), None
        now = ports.clock()
        after, overflows = concluded(progressed(run, progress), outcome, definition, now)
        output = whole(outcome.result, outcome.error, run.expires_at) if overflows else None
        if output is not None:
            keep_output(ports.outputs, run.key, run.attempt, output, now)
        if definition is not None and definition.job.record_units:
            after = with_report(run, after, definition, ports.clock(), stored=stored_of(output))
        return _end(ports, run, after, definition)

    return retry_on_conflict(update, f"run {speaker.run.run_id}")


def heartbeat(ports: Ports, speaker: Speaker, progress: Progress | None = None, *, read: Run | None = None) -> Run:
    """Record that an attempt's target is alive, and its progress. Returns the run as stored.

    A run that waits for its target and was cancelled ends here, since this answer tells the target. The run keeps its last
    progress.

    Args:
        read: the run, if the caller just read it with `answerable_run`.

    Raises:
        NotAllowed, Conflict: in the same cases as `report`.
    """
    definition = ports.definitions.get([speaker.run.job]).get(speaker.run.job)
    progress = _without_token(progress, speaker)

    def update() -> Run | Contended[None]:
        nonlocal read
        run, read = read or answerable_run(ports, speaker), None
        after = progressed(run, progress)
        if run.state is RunState.WAITING and run.cancelled_by:
            return _end(ports, run, cancelled(after, definition, ports.clock(), by=run.cancelled_by), definition)
        after = heard_from(after, definition, ports.clock())
        if after == run:
            return after
        if definition is not None and definition.job.record_units:
            after = with_heartbeat(run, after, definition)
        return after if ports.runs.move(run, after) == after else CONTENDED

    return retry_on_conflict(update, f"run {speaker.run.run_id}")


def answerable_run(ports: Ports, speaker: Speaker | Witness) -> Run:
    """The run that a caller reports on, if the token is that of its newest attempt and this is not over.

    Raises:
        NotAllowed, Conflict: otherwise.
    """
    run = ports.runs.get([speaker.run]).get(speaker.run)
    nonces = {} if run is None else {one.number: one.nonce for one in run.attempts} | {run.attempt: run.nonce}
    known = nonces.get(speaker.attempt) or ""
    # Compare in constant time and answer the same when the run does not exist, so that a caller can guess neither token nor run.
    if not hmac.compare_digest(known.encode(), speaker.nonce.encode()) or run is None:
        raise NotAllowed(FOREIGN)
    if run.attempt != speaker.attempt:
        over = f"attempt {speaker.attempt} of run {run.key.run_id} is over: the run is at attempt {run.attempt}"
        raise Conflict(f"{over}, {run.state.value}; stop, nothing was changed")
    attempt = f"attempt {run.attempt} of run {run.key.run_id}"
    if run.state not in (RunState.RUNNING, RunState.WAITING):
        raise Conflict(f"{attempt} has ended: the run is {run.state.value}; nothing was changed")
    if run.state is RunState.WAITING and run.lease_until is not None and ports.clock() >= run.lease_until:
        # Another run may have taken over this run's lock or slot by now.
        raise Conflict(f"{attempt} was due to report by {to_text(run.lease_until)}; nothing was changed")
    return run


def _without_token(progress: Progress | None, speaker: Speaker | Witness) -> Progress | None:
    return progress and progress._replace(text=without_pieces(progress.text, (speaker.token,)))


def _end(ports: Ports, before: Run, after: Run, definition: Definition | None) -> Run | Contended[None]:
    """Write the end of an attempt and a deadline timer in one transaction, then follow up the run. If this process dies, the timer
    has a worker do that."""
    deadline = Deadline(run=before.key, next_at=floor(ports.clock()))
    if retry_when_unavailable(lambda: ports.runs.move_reminding(before, after, deadline)) != after:
        return CONTENDED
    if after.state is RunState.RETRYING:
        # The sweep knows of this run only when its answer was due, which may be much later than the next attempt.
        with suppress(Unavailable):
            watch([after], ports)
    follow_up_under(deadline, after, definition, ports)
    return after
