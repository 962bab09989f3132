"""Report: write that an attempt has ended, or that its run waits for the target's later answer, and store the output."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from minutehand.domain.definition import Definition
from minutehand.domain.errors import Unavailable
from minutehand.domain.outcome import Outcome
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.run_successors import Conclusion, answered_later, concluded, is_same_attempt
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.meter import Recording
from minutehand.usecases.ports.outputs import Output, Outputs, whole
from minutehand.usecases.retries import Contended, retry_on_stored, retry_when_unavailable

LONGEST = 4096
"""Longest text of an answer, in bytes, that is kept beside its run. Of a longer one, its end is; the whole goes to S3."""
LONGEST_ERROR = 16 * 1024
"""Most bytes that are kept of an error's message, and also of its stack trace."""


class Reported(NamedTuple):
    """The run as stored after a report. It is not `written` here if another worker took the run over, or its target reported first."""

    run: Run
    written: bool


class NotRecorded(NamedTuple):
    """The end of an attempt could not be written. The run's record is unchanged; a worker decides about it at its next message."""

    why: str


def reported(
    run: Run, outcome: Outcome, definition: Definition, ports: Ports, record: Recording, *, holds_permits: bool
) -> Reported | NotRecorded:
    """Write how an attempt ended, or that its target answers later.

    Changes that others made to the run meanwhile, such as a cancel, are kept.

    Args:
        holds_permits: whether the attempt took permits (the overlap lock, slots). Once the lease is over, other runs may have taken
            these. A run whose target answers later then gives `NotRecorded` instead of waiting, so that no more runs than allowed
            are in progress.

    Raises:
        Unavailable: when the store does not answer.
    """
    kept = False

    def write(before: Run) -> Reported | NotRecorded | Contended[Run]:
        nonlocal kept
        now = ports.clock()
        # A target without heartbeats cannot learn that its run was cancelled, so nobody waits for its answer.
        stops = before.cancelled_by and definition.job.target.heartbeat is None
        if outcome.state is RunState.WAITING and not stops:
            after, overflows = Conclusion(answered_later(before, outcome, definition.job, now), overflows=False)
        else:
            after, overflows = concluded(before, outcome, definition, now)
        output = whole(outcome.result, outcome.error, before.expires_at) if overflows else None
        kept = kept or (output is not None and keep_output(ports.outputs, before.key, before.attempt, output, now))
        after = record(before, after, stored=stored_of(output))
        stored = retry_when_unavailable(lambda: _moved(before, after, ports, holds_permits=holds_permits))
        if isinstance(stored, NotRecorded):
            return stored
        if stored == after or not is_same_attempt(stored, before) or stored.state is not before.state:
            return Reported(stored, written=stored == after)
        return Contended(stored)

    done: Reported | NotRecorded | Contended[Run] = retry_on_stored(run, write)
    if isinstance(done, Contended):
        return NotRecorded(
            f"too many concurrent updates of run {run.key.run_id} of {run.key.job} while it was reported"
        )
    return done


def _moved(before: Run, after: Run, ports: Ports, *, holds_permits: bool) -> Run | NotRecorded:
    """Write the run after a report, unless it would begin to wait for its target with permits whose lease is over. Reads the clock
    anew, since earlier tries took time."""
    waits = after.state is RunState.WAITING
    if holds_permits and waits and before.lease_until is not None and ports.clock() >= before.lease_until:
        why = f"the target of attempt {before.attempt} answers later, but the attempt's lease ended before that could be written"
        return NotRecorded(f"{why}; a worker decides about the run at its next message")
    return ports.runs.move(before, after)


def stored_of(output: Output | None) -> int:
    """Size of an output's text in bytes if it is so long that it goes to S3; 0 when all of it is kept beside the run."""
    return output.size if output is not None and output.size > LONGEST else 0


def keep_output(outputs: Outputs, run: RunKey, attempt: int, output: Output, now: datetime) -> bool:
    """Store an output beside its run, and its whole text in S3 if it is too long. Returns whether anything was stored.

    Never raises: a report without its output is better than no report, and the end of a text better than nothing. S3 gets one try,
    since a worker that waits for a store uses up its lease.
    """
    kept, error = output, output.error
    if error:
        # Of a long error, keep the beginning of the message and the end of the stack trace: these say most.
        message = error.message.encode()[:LONGEST_ERROR].decode(errors="ignore")
        kept = output._replace(error=error._replace(message=message, stack=_end(error.stack, LONGEST_ERROR)))
    if output.result and stored_of(output):
        try:
            place = outputs.store(run, attempt, output.result.body, output.expires_at - now)
        except Unavailable:
            place = ""
        kept = kept._replace(result=output.result._replace(body=_end(output.result.body, LONGEST)), place=place)
    try:
        retry_when_unavailable(lambda: outputs.keep(run, attempt, kept))
    except Unavailable:
        return False
    return True


def _end(text: str, most: int) -> str:
    """The end of a text, at most `most` bytes, without the character that the cut would split."""
    return text.encode()[-most:].decode(errors="ignore")
