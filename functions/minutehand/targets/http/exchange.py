"""One request and its answer over an open connection."""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Iterator
from http.client import HTTPException

from urllib3 import HTTPHeaderDict
from urllib3.response import BaseHTTPResponse

from minutehand.targets.http.deadline import Deadline, Reach, Stage
from minutehand.targets.http.pool import Line
from minutehand.targets.http.request import Request

# The length of a body, perhaps given several times (RFC 9110, section 8.6).
_LENGTHS = re.compile(r"\d+(\s*,\s*\d+)*", re.ASCII)
_WITHOUT_BODY = (204, 304)

# This warning of urllib3 would write the whole URL, with its query, to the function's log.
logging.getLogger("urllib3.connection").addFilter(lambda record: "Failed to parse headers" not in str(record.msg))


class Stale(Exception):
    """The other side had closed a kept connection before any byte of the request was sent."""


class Answer:
    """An answer whose body is to be read.

    Attributes:
        response: status, headers and body.
    """

    def __init__(self, response: BaseHTTPResponse, line: Line, *, sent_whole: bool, method: str) -> None:
        self.response = response
        self._line, self._sent_whole, self._method = line, sent_whole, method

    def may_be_kept(self) -> bool:
        """Whether the connection can serve another call: everything was sent, and the answer was read to its end.

        Not after HEAD and statuses without a body: some servers send one nevertheless, which the next call would take for its answer.
        """
        response = self.response
        self._line.hear(response.headers)
        if not (self._sent_whole and self._line.is_open) or self._method == "HEAD":
            return False
        if response.status in _WITHOUT_BODY and response.headers.get("content-length", "0") != "0":
            return False
        if response.length_remaining == 0:
            with contextlib.suppress(Exception):  # the outcome is known by now
                response.read1(1, decode_content=False)  # has the library see the end
        return response.closed


@contextlib.contextmanager
def sent(request: Request, line: Line, deadline: Deadline) -> Iterator[Answer]:
    """Send a request; the answer, once its headers have come. Whoever called closes or keeps the connection.

    Raises:
        Stale: if a kept connection proves closed before anything was sent; the request may then be sent over another.
        TimeoutError: at the deadline.
        Cancelled: within a second after the run was cancelled.
        OSError, HTTPException, HTTPError: if the connection or the answer fails.
    """
    line.begin(deadline)
    deadline.stage = Stage.SENDING
    before, deadline.reach = deadline.reach, Reach.REQUEST
    sent_whole = False
    try:
        line.connection.request(
            request.method,
            request.path,
            body=request.body,
            headers=HTTPHeaderDict(request.headers),
            preload_content=False,
            decode_content=False,
        )
        line.release()
        sent_whole = True
    except TimeoutError:
        raise
    except OSError as error:
        if line.kept and line.sent == 0:
            deadline.reach = before
            raise Stale from error
        # The target may answer and close before it has read the whole request; its answer can still be read.
        if not isinstance(error, (BrokenPipeError, ConnectionResetError)):
            raise
    deadline.stage = Stage.WAITING
    with contextlib.closing(line.connection.getresponse()) as response:
        _check_length(response)
        yield Answer(response, line, sent_whole=sent_whole, method=request.method)


def _check_length(response: BaseHTTPResponse) -> None:
    """Raise for a length that is not a number: the library reads on until the connection closes, so a part would pass for the whole."""
    length = response.headers.get("content-length")
    if length is not None and "transfer-encoding" not in response.headers and not _LENGTHS.fullmatch(length):
        raise HTTPException(f"its Content-Length is {length!r:.60}, not a number")
