"""Late answers: for a target that accepts a run's work at once and reports its result later."""

import re
import threading
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self, cast

from minutehand.client.errors import ConfigurationError, Conflict, MinutehandError, NotAllowed
from minutehand.client.models import Standing
from minutehand.client.run_headers import Headers, headers_of_run, instant_in, number_in

if TYPE_CHECKING:
    import urllib3

SELDOM = 30.0
"""Maximum default heartbeat interval, in seconds. A target learns of a cancel by its next heartbeat."""
OFTEN = 1.0
"""Minimum default heartbeat interval, in seconds; also the maximum wait after a heartbeat that failed."""
LONGEST_MESSAGE = 4000
"""Maximum length of an error message, in characters."""
LONGEST_STACK = 16_000
"""Maximum length of a stack trace, in characters; of a longer one, the end is reported."""
_LAST_BEAT = 5.0
"""Maximum seconds that `close` waits for a heartbeat that is being sent."""
_ODD_IN_TYPE = re.compile(r"[^A-Za-z0-9_.]")
_NOT_IN_TEXT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def word_of(name: str) -> str:
    """A name as the type of an error: one word that the API accepts."""
    word = _ODD_IN_TYPE.sub("_", name)[:64]
    return word if word[:1].isalpha() or word[:1] == "_" else f"_{word}"[:64]


def words_of(error: BaseException) -> str:
    """The text of an exception, also of one whose own code for it fails."""
    try:
        return str(error)
    except Exception as trouble:  # noqa: BLE001 - whatever the exception's code raises
        return f"the text of this error could not be made: its __str__ raised {type(trouble).__name__}"


def plain_text(text: str) -> str:
    """A text for a report, without control characters."""
    return _NOT_IN_TEXT.sub(" ", text)


class LateAnswer:
    """The target's side of an attempt that it answers later.

    with LateAnswer.from_headers(request.headers) as answer:
        for number, row in enumerate(rows):
            if answer.unwanted:
                break
            load(row)
            answer.progress(100 * number // len(rows), f"row {number}")
        answer.succeeded({"rows": len(rows)})

    As a context manager it sends heartbeats in a background thread. A block that has not reported succeeds at its end, and fails
    when an exception leaves it; nothing is reported when the answer is `unwanted`. Thread-safe. Methods may raise a
    `MinutehandError`: Conflict (409) when the attempt has ended or was already reported; Invalid (400, 413, 422) for an invalid
    report; NotAllowed (403) for a token of another attempt; Unreachable without an answer.

    Attributes:
        job, run_id: the job's full name and the run's id.
        attempt: the attempt's number, from 1.
        attempts_left: how many attempts remain after this one.
        deadline: when the attempt times out, unless its end was reported.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        job: str = "",
        run_id: str = "",
        attempt: int = 1,
        attempts_left: int = 0,
        deadline: datetime | None = None,
        every: float | None = None,
        first: float = 0.0,
        timeout: float = 30.0,
        retries: int = 6,
        backoff: float = 0.5,
        connections: "urllib3.PoolManager | None" = None,
    ) -> None:
        """Args:
        url, token: the request's headers `Minutehand-Callback-Url` and `Minutehand-Token`.
        every: the heartbeat interval in seconds; by default a third of the attempt's lease, from 1 to 30 s.
        first: seconds before the first heartbeat of the background thread; work that ends sooner sends none.
        timeout, retries, backoff: the same as for `Client`.
        connections: connections to share with other answers; `close` leaves them open.
        """
        self.job, self.run_id, self.attempt = job, run_id, attempt
        self.attempts_left, self.deadline = attempts_left, deadline
        from minutehand.client.transport import Transport  # noqa: PLC0415 - only a call needs urllib3

        self._http = Transport(
            url,
            token,
            timeout=timeout,
            retries=retries,
            backoff=backoff,
            origin="Minutehand-Callback-Url",
            connections=connections,
        )
        self._every = every
        self._first = first
        self._unwanted = self._reported = False
        self._over = threading.Event()
        self._beats: threading.Thread | None = None

    @classmethod
    def from_headers(cls, headers: Headers | Mapping[str, str], *, every: float | None = None) -> Self:
        """The late answer to the request with these headers.

        Raises:
            ConfigurationError: when the request does not allow a late answer, or one of Minutehand's headers cannot be read.
        """
        found = headers_of_run(headers)
        if "callback-url" not in found or "token" not in found:
            raise ConfigurationError(
                "the request cannot be answered later: it lacks the headers Minutehand-Callback-Url and Minutehand-Token",
                hint="the job's target needs the mode auto or callback; answer requests from other callers directly",
            )
        return cls(
            found["callback-url"],
            found["token"],
            job=found.get("job", ""),
            run_id=found.get("run-id", ""),
            attempt=number_in(found, "attempt", 1),
            attempts_left=number_in(found, "attempts-left", 0),
            deadline=instant_in(found, "deadline"),
            every=every,
        )

    @property
    def unwanted(self) -> bool:
        """Whether to stop: the run was cancelled, or the attempt has ended otherwise. Each answer of the API updates this value, so
        it is at most about one heartbeat interval old."""
        return self._unwanted

    def succeeded(self, result: Any = None) -> None:
        """Report success. `result` is any JSON value, at most 256 KiB, and is kept with the run."""
        self._report({"state": "succeeded", "result": result})

    def failed(self, type: str, message: str, result: Any = None, *, stack: str = "") -> None:  # noqa: A002 (as the document has it)
        """Report failure. `type` is one word, which the job's `retry_on` may name; `message` is a sentence; `stack` is the trace."""
        error = {"type": type, "message": message} | ({"stack": stack} if stack else {})
        self._report({"state": "failed", "error": error, "result": result})

    def failed_with(self, error: BaseException) -> None:
        """Report failure with the exception's type, message and stack trace."""
        import traceback  # noqa: PLC0415 - only a failure needs it

        stack = "".join(traceback.format_exception(error))[-LONGEST_STACK:]
        self.failed(
            word_of(type(error).__name__),
            plain_text(words_of(error))[:LONGEST_MESSAGE] or "no message",
            stack=plain_text(stack),
        )

    def progress(self, percent: int | None = None, text: str | None = None) -> bool:
        """Report progress: 0 to 100, a line of text, or both. Counts as a heartbeat; returns whether to stop."""
        document = {"percent": percent, "text": text}
        self._send("progress", {name: value for name, value in document.items() if value is not None})
        return self._unwanted

    def heartbeat(self) -> bool:
        """Send a heartbeat, which extends the attempt's lease; returns whether to stop the work."""
        self._send("heartbeat", {})
        return self._unwanted

    def close(self) -> None:
        """Stop the heartbeats and close the connections."""
        self._over.set()
        if self._beats is not None:
            self._beats.join(_LAST_BEAT)
            self._beats = None
        self._http.close()

    def __enter__(self) -> Self:
        self._beats = threading.Thread(target=self._beat, name="heartbeats", daemon=True)
        self._beats.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if self._reported or self._unwanted:
                return
            if error is None:
                self.succeeded()
            else:
                self._tell_of(error)
        finally:
            self.close()

    def _tell_of(self, error: BaseException) -> None:
        try:
            self.failed_with(error)
        except MinutehandError as trouble:
            error.add_note(f"The failure could not be reported to Minutehand: {trouble}")

    def _beat(self) -> None:
        wait = self._first
        while not self._over.wait(wait):
            wait = min(OFTEN, self._every or OFTEN)
            try:
                standing = self._send("heartbeat", {})
            except (Conflict, NotAllowed):
                return  # _send has set `unwanted`
            except MinutehandError:
                continue
            wait = self._every or min(SELDOM, max(OFTEN, (standing.get("lease_ms") or 0) / 3000))

    def _report(self, document: Mapping[str, Any]) -> None:
        try:
            self._http.send("POST", "/report", body=document)
        except (Conflict, NotAllowed) as refusal:
            # If a repeated report conflicts, an earlier try has reported, and its answer was lost.
            if not (isinstance(refusal, Conflict) and refusal.repeated):
                self._unwanted = True
                raise
        self._reported = True
        self._over.set()

    def _send(self, what: str, document: Mapping[str, Any]) -> Standing:
        try:
            standing = cast("Standing", self._http.send("POST", f"/{what}", body=document))
        except (Conflict, NotAllowed):
            self._unwanted = True
            raise
        self._unwanted = self._unwanted or standing["cancel"]
        return standing
