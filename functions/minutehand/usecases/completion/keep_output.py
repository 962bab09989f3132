"""Keeping outputs: a text that is too long goes elsewhere whole, and its end beside the run."""

from __future__ import annotations

from datetime import datetime

from minutehand.domain.errors import Unavailable
from minutehand.domain.run import RunError, RunKey
from minutehand.usecases.ports.outputs import Output, Outputs
from minutehand.usecases.retry_when_unavailable import retry_when_unavailable

LONGEST = 4096
"""Bytes of an answer's text that are kept beside the run; of a longer one its end, and the whole elsewhere."""
LONGEST_ERROR = 16 * 1024
"""Bytes of an error's message, and of its stack trace, that are kept."""


def stored_of(output: Output | None) -> int:
    """Bytes of a whole output's text that are kept elsewhere than beside its run."""
    return output.size if output is not None and output.size > LONGEST else 0


def keep_output(outputs: Outputs, run: RunKey, attempt: int, output: Output, now: datetime) -> bool:
    """Keep a whole output: a text that is too long elsewhere, and its end beside the run. Whether anything could be kept.

    Whoever reports an attempt must not fail for this: a report without its output is better than none, and the end of a text better
    than nothing of it. A text is offered once, since a worker that waits for a store here eats into its lease.
    """
    kept = output._replace(error=output.error and _bounded(output.error))
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


def _bounded(error: RunError) -> RunError:
    """The beginning of the message, and of the stack trace the end, which says most."""
    message = error.message.encode()[:LONGEST_ERROR].decode(errors="ignore")
    return error._replace(message=message, stack=_end(error.stack, LONGEST_ERROR))


def _end(text: str, most: int) -> str:
    """The last bytes of a text, between characters."""
    return text.encode()[-most:].decode(errors="ignore")
