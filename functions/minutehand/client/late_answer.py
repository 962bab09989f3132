"""Answering later: for a service that takes a run's work on and says afterwards how it ended."""

import re
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Protocol, Self, cast

from minutehand.client.errors import ConfigurationError, Conflict, MinutehandError, NotAllowed
from minutehand.client.shapes import Standing
from minutehand.client.transport import Transport

SELDOM = 30.0
"""Seconds between heartbeats that nobody asked to be more frequent: so soon does a target learn that its run was cancelled."""
OFTEN = 1.0
"""Seconds between heartbeats at least."""
LONGEST_MESSAGE = 4000
"""Characters of an error's message that the service takes."""
_LAST_BEAT = 5.0
"""Seconds that a heartbeat under way may take when it is no longer needed."""
_PREFIX = "minutehand-"
_ODD_IN_TYPE = re.compile(r"[^A-Za-z0-9_.]")


class Headers(Protocol):
    """Headers as every server hands them over: a dictionary, `http.server`'s message, WSGI's environment."""

    def items(self) -> Any:
        """Pairs of a name, in any case, and its text."""


class LateAnswer:
    """What a target says of an attempt that it has taken on.

    with LateAnswer.from_headers(request.headers) as answer:
        for number, row in enumerate(rows):
            if answer.unwanted:
                break
            load(row)
            answer.progress(100 * number // len(rows), f"row {number}")
        answer.succeeded({"rows": len(rows)})

    As a context manager it sends heartbeats in a thread of its own, and reports for a block that has not done so itself: success at
    the block's end, failure when an exception leaves it, nothing when the answer is `unwanted`. Every method may be called from several
    threads, and raises a `MinutehandError`: Conflict (409) when the attempt is over, or was reported before; Invalid (400, 413, 422) for
    what cannot be taken; NotAllowed (403) for a token that is not the attempt's; Unreachable when nobody answers.

    Attributes:
        job, run_id: which run it is, `namespace/name` and its id.
        attempt: 1, 2, 3 …
        attempts_left: how many more there may be, should this one not succeed.
        deadline: by when the attempt must have been reported.
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
        timeout: float = 30.0,
        retries: int = 6,
        backoff: float = 0.5,
    ) -> None:
        """Args:
        url: where reports go, and what shows them to be the attempt's: `Minutehand-Callback-Url`, `Minutehand-Token`.
        every: seconds between heartbeats; None for a third of what the service waits for one, 30 s at most.
        timeout, retries, backoff: as of `Client`.
        """
        self.job, self.run_id, self.attempt = job, run_id, attempt
        self.attempts_left, self.deadline = attempts_left, deadline
        self._http = Transport(
            url, token, timeout=timeout, retries=retries, backoff=backoff, origin="Minutehand-Callback-Url"
        )
        self._every = every
        self._unwanted = self._reported = False
        self._over = threading.Event()
        self._beats: threading.Thread | None = None

    @classmethod
    def from_headers(cls, headers: Headers | Mapping[str, str], *, every: float | None = None) -> Self:
        """The answer to the request that came with these headers.

        Raises:
            ConfigurationError: when they do not ask for a later answer.
        """
        found = dict(_ours(headers))
        if "callback-url" not in found or "token" not in found:
            raise ConfigurationError(
                "the request does not say where it is to be answered later: it has no headers Minutehand-Callback-Url and Minutehand-Token",
                hint="the job's target needs the mode auto or callback; answer at once what did not come from Minutehand",
            )
        return cls(
            found["callback-url"],
            found["token"],
            job=found.get("job", ""),
            run_id=found.get("run-id", ""),
            attempt=int(found.get("attempt", "1")),
            attempts_left=int(found.get("attempts-left", "0")),
            deadline=datetime.fromisoformat(found["deadline"]).astimezone(UTC) if "deadline" in found else None,
            every=every,
        )

    @property
    def unwanted(self) -> bool:
        """Whether to stop: somebody has cancelled the run, or the attempt is over for another reason. Learnt from each answer of
        the service, so as soon as a heartbeat is sent."""
        return self._unwanted

    def succeeded(self, result: Any = None) -> None:
        """Report that the work is done; `result` is any JSON, at most 256 KiB, and kept with the run."""
        self._report({"state": "succeeded", "result": result})

    def failed(self, type: str, message: str, result: Any = None) -> None:  # noqa: A002 (as the document has it)
        """Report that it is not: in one word what kind of failure it is, which the job's `retry_on` may name, and in a sentence."""
        self._report({"state": "failed", "error": {"type": type, "message": message}, "result": result})

    def progress(self, percent: int | None = None, text: str | None = None) -> bool:
        """Say how far the work has come: 0 to 100, or a line of text, or both. Counts as a heartbeat, and says whether to stop."""
        said = {"percent": percent, "text": text}
        return self._seen(self._send("progress", {name: value for name, value in said.items() if value is not None}))

    def heartbeat(self) -> bool:
        """Say that the work goes on, and learn whether to stop."""
        return self._seen(self._send("heartbeat", {}))

    def close(self) -> None:
        """Send no more heartbeats, and close the connections."""
        self._over.set()
        if self._beats is not None:
            self._beats.join(_LAST_BEAT)
            self._beats = None
        self._http.close()

    def __enter__(self) -> Self:
        self._beats = threading.Thread(target=self._beat, name="heartbeats", daemon=True)
        self._beats.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
            self.failed(_ODD_IN_TYPE.sub("_", type(error).__name__)[:64], _plain(str(error)) or "no message")
        except MinutehandError as trouble:
            error.add_note(f"Minutehand could not be told of it: {trouble}")

    def _beat(self) -> None:
        wait = 0.0
        while not self._over.wait(wait):
            wait = min(OFTEN, self._every or OFTEN)
            try:
                standing = self._send("heartbeat", {})
            except (Conflict, NotAllowed):
                return  # _send has seen to it
            except MinutehandError:
                continue
            self._seen(standing)
            wait = self._every or min(SELDOM, max(OFTEN, (standing.get("lease_ms") or 0) / 3000))

    def _report(self, document: Mapping[str, Any]) -> None:
        try:
            self._http.send("POST", "/report", body=document)
        except (Conflict, NotAllowed) as refusal:
            if not (
                isinstance(refusal, Conflict) and refusal.repeated
            ):  # else an earlier try, whose answer was lost, was the report
                self._unwanted = True
                raise
        self._reported = True
        self._over.set()

    def _send(self, what: str, document: Mapping[str, Any]) -> Standing:
        try:
            return cast("Standing", self._http.send("POST", f"/{what}", body=document))
        except (Conflict, NotAllowed):
            self._unwanted = True
            raise

    def _seen(self, standing: Standing) -> bool:
        self._unwanted = self._unwanted or standing["cancel"]
        return self._unwanted


def _ours(headers: Headers | Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The headers that are Minutehand's, without their prefix; WSGI writes `HTTP_MINUTEHAND_TOKEN`."""
    for name, text in headers.items():
        plain = str(name).lower().replace("_", "-").removeprefix("http-")
        if plain.startswith(_PREFIX):
            yield plain.removeprefix(_PREFIX), str(text)


def _plain(message: str) -> str:
    return "".join(c if c.isprintable() or c in "\n\t" else " " for c in message)[:LONGEST_MESSAGE]
