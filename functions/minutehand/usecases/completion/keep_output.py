"""Storage of outputs: the end of a long text beside its run, the whole text elsewhere."""

from __future__ import annotations

from datetime import datetime

from minutehand.domain.errors import Unavailable
from minutehand.domain.run import RunKey
from minutehand.usecases.ports.outputs import Output, Outputs
from minutehand.usecases.retries import retry_when_unavailable

LONGEST = 4096
"""Bytes of an answer's text that are kept beside the run. Of a longer text, this many at its end; the whole is stored elsewhere."""
LONGEST_ERROR = 16 * 1024
"""Bytes of an error's message, and of its stack trace, that are kept."""


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
