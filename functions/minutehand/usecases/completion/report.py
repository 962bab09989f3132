"""Report: the write that ends an attempt, or has its run wait for a later answer, and the storage of its output."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from minutehand.domain.definition import Definition
from minutehand.domain.errors import Unavailable
from minutehand.domain.outcome import Outcome
from minutehand.domain.run import Run, RunKey, RunState
from minutehand.domain.run_successors import Conclusion, answered_later, concluded, is_same_attempt
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.meter import Recording
from minutehand.usecases.ports.outputs import Output, Outputs, whole
from minutehand.usecases.retries import Contended, retry_on_stored, retry_when_unavailable

LONGEST = 4096
"""Bytes of an answer's text that are kept beside the run. Of a longer text, this many at its end; the whole is stored elsewhere."""
LONGEST_ERROR = 16 * 1024
"""Bytes of an error's message, and of its stack trace, that are kept."""


class NotRecorded(NamedTuple):
    """The end of the attempt could not be written. The run stays as it is, and its next message leads back to it."""

    why: str


def reported(
    run: Run, outcome: Outcome, definition: Definition, ports: Ports, record: Recording, *, holds_permits: bool
) -> Run | NotRecorded:
    """Write how the attempt under way has ended, or that it is answered later. Answers the run as it is stored then.

    Changes that others made to the run meanwhile, such as a cancel, are kept. A stored run of another attempt, or in another state
    than reported, means that another worker took over, or that the target reported first.

    Args:
        holds_permits: whether the attempt has taken permits. After its lease others may have taken them: then the run does not
            begin to wait, or two runs would be under way.

    Raises:
        Unavailable: when the store does not answer.
    """
    kept = False

    def write(before: Run) -> Run | NotRecorded | Contended[Run]:
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
        if isinstance(stored, NotRecorded) or stored == after:
            return stored
        if not is_same_attempt(stored, before) or stored.state is not before.state:
            return stored
        return Contended(stored)

    done: Run | NotRecorded | Contended[Run] = retry_on_stored(run, write)
    if isinstance(done, Contended):
        return NotRecorded(
            f"too many concurrent updates of run {run.key.run_id} of {run.key.job} while it was reported"
        )
    return done


def _moved(before: Run, after: Run, ports: Ports, *, holds_permits: bool) -> Run | NotRecorded:
    """Write the run. Reads the clock for each try, since a store that does not answer takes time."""
    waits = after.state is RunState.WAITING
    if holds_permits and waits and before.lease_until is not None and ports.clock() >= before.lease_until:
        why = f"attempt {before.attempt} is answered later, but its lease ended before that could be written"
        return NotRecorded(f"{why}; the run's next message takes it further")
    return ports.runs.move(before, after)


def stored_of(output: Output | None) -> int:
    """Bytes of an output's text that are stored elsewhere; 0 when all of it is kept beside the run."""
    return output.size if output is not None and output.size > LONGEST else 0


def keep_output(outputs: Outputs, run: RunKey, attempt: int, output: Output, now: datetime) -> bool:
    """Keep an output beside its run, and a text that is too long elsewhere. Whether anything was kept.

    Never raises: a report without its output is better than no report, and the end of a text better than nothing. A long text is
    stored in one try, since a worker that waits for a store uses up its lease.
    """
    kept, error = output, output.error
    if error:
        # The beginning of the message and the end of the stack trace, which says most.
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
    """The last bytes of a text, between characters."""
    return text.encode()[-most:].decode(errors="ignore")
