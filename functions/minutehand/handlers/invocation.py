"""An invocation: one attempt of a run as its handler's process receives it, as a document or as a request's headers and body."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NamedTuple, Self

from minutehand.client.run_headers import Headers, headers_of_run
from minutehand.handlers.errors import InvalidInvocation

_MOST_DIGITS = 9
"""Most digits of a number of attempts."""
_EXAMPLE = '{"job": "reports/nightly", "run_id": "20261120T020000Z", "attempt": 1, "payload": {…}}'


class Callback(NamedTuple):
    """Where to report on an attempt, and the attempt's token."""

    url: str
    token: str


@dataclass(frozen=True, kw_only=True)
class Parent:
    """How the run of a parent ended.

    Attributes:
        job, run_id: the parent's full name and its run.
        state: such as `succeeded`.
        body: the text of its answer; None without one.
        truncated: whether `body` is only a part of the answer.
        error: `{"type", "message"}` of a run that did not succeed.
    """

    job: str
    run_id: str
    state: str = ""
    scheduled_for: datetime | None = None
    body: str | None = None
    truncated: bool = False
    error: Mapping[str, Any] | None = None

    @cached_property
    def result(self) -> Any:
        """The answer as JSON, such as what a handler returned; None without an answer.

        Raises:
            ValueError: if the answer is not JSON, or only a part of it is here.
        """
        return None if not self.body else json.loads(self.body)

    @classmethod
    def succeeded(cls, job: str, run_id: str, scheduled_for: datetime, result: Any) -> Self:
        """A parent whose run succeeded with a result, for tests."""
        return cls(job=job, run_id=run_id, state="succeeded", scheduled_for=scheduled_for, body=json.dumps(result))

    @classmethod
    def of(cls, document: Any) -> Self:
        """Read an entry of `parents`. Raises InvalidInvocation."""
        if not isinstance(document, Mapping) or not isinstance(document.get("result") or {}, Mapping):
            hint = 'write {"job": …, "run_id": …, "state": …, "result": {"body": …}}'
            raise InvalidInvocation("an entry of parents is not a parent's run", hint=hint)
        result = document.get("result") or {}
        return cls(
            job=str(document.get("job", "")),
            run_id=str(document.get("run_id", "")),
            state=str(document.get("state", "")),
            scheduled_for=_instant("parents", document.get("scheduled_for")),
            body=result.get("body"),
            truncated=bool(result.get("truncated")),
            error=document.get("error"),
        )


@dataclass(frozen=True, kw_only=True)
class Invocation:
    """One attempt of a run.

    Attributes:
        job: full name of the job.
        scheduled_for: the instant of the run, aware; its trigger's for a triggered run.
        attempts_left: attempts that may follow if this one fails.
        deadline: when the attempt times out, if the caller says so.
        payload: any JSON value.
        parents: how the parents' runs ended, for a run that they started.
        handler: name of the handler; without it, the job's name decides.
        callback: where to report; None if the caller waits for the answer.
        sent_at: when the caller sent this, if it says so.
    """

    job: str
    run_id: str
    attempt: int = 1
    attempts_left: int = 0
    scheduled_for: datetime
    deadline: datetime | None = None
    payload: Any = None
    parents: tuple[Parent, ...] = ()
    handler: str | None = None
    callback: Callback | None = field(default=None, repr=False)
    sent_at: datetime | None = None

    @classmethod
    def of(cls, document: Any) -> Self:
        """Read the document that a target of type `lambda` sends as the function's event.

        Raises:
            InvalidInvocation: if a field is missing or not readable.
        """
        if not isinstance(document, Mapping):
            raise InvalidInvocation("the event is not an object", hint=f"a run looks like {_EXAMPLE}")
        for name in ("job", "run_id"):
            if not isinstance(document.get(name), str) or not document[name]:
                hint = f"a run looks like {_EXAMPLE}"
                raise InvalidInvocation(f"the event is not a run of Minutehand's: it has no {name!r}", hint=hint)
        scheduled_for = _instant("scheduled_for", document.get("scheduled_for")) or _named_by(document["run_id"])
        callback = document.get("callback")
        if callback is not None and not (isinstance(callback, Mapping) and {"url", "token"} <= callback.keys()):
            raise InvalidInvocation("callback lacks its url or its token", hint='write {"url": …, "token": …}')
        return cls(
            job=document["job"],
            run_id=document["run_id"],
            attempt=_count("attempt", document.get("attempt", 1)),
            attempts_left=_count("attempts_left", document.get("attempts_left", 0)),
            scheduled_for=scheduled_for,
            deadline=_instant("deadline", document.get("deadline")),
            payload=document.get("payload"),
            parents=_parents(document.get("parents")),
            handler=document.get("handler"),
            callback=None if callback is None else Callback(str(callback["url"]), str(callback["token"])),
            sent_at=_instant("sent_at", document.get("sent_at")),
        )

    @classmethod
    def of_request(cls, headers: Headers | Mapping[str, str], body: bytes, *, handler: str | None = None) -> Self:
        """Read the request of a target of type `http`. The body is the payload, or the parents' results.

        Raises:
            InvalidInvocation: if a header is missing, or the body is not JSON.
        """
        found: dict[str, Any] = {name.replace("-", "_"): text for name, text in headers_of_run(headers).items()}
        for name in ("job", "run_id"):
            if not found.get(name):
                header = f"Minutehand-{name.replace('_', '-').title()}"
                hint = "only a job with a target of type http may call this address"
                raise InvalidInvocation(f"the request is not a run of Minutehand's: it has no {header}", hint=hint)
        payload: Any = None
        parents: Any = None
        try:
            payload = json.loads(body) if body else None
        except (ValueError, RecursionError) as error:
            hint = "the job's payload must arrive as JSON: remove another body from its target"
            raise InvalidInvocation(f"the body is not JSON: {error}", hint=hint) from error
        if "parents" in found and isinstance(payload, dict) and list(payload) == ["parents"]:
            payload, parents = None, payload["parents"]
        elif "parents" in found:  # beside a payload of its own, a child gets no results
            named = (each.strip().rpartition("/") for each in found["parents"].split(","))
            parents = [{"job": job, "run_id": run_id} for job, _, run_id in named]
        address = {"url": found.get("callback_url"), "token": found.get("token")}
        callback = address if all(address.values()) else None
        return cls.of(found | {"payload": payload, "parents": parents, "handler": handler, "callback": callback})


def _parents(given: Any) -> tuple[Parent, ...]:
    if not isinstance(given, list | tuple | None):
        raise InvalidInvocation("parents is not a list", hint="leave it out for a run without parents")
    return tuple(map(Parent.of, given or ()))


def _instant(name: str, text: Any) -> datetime | None:
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
        in_utc = instant.astimezone(UTC) if instant.tzinfo is not None else None
    except (TypeError, ValueError, OverflowError):
        in_utc = None
    if in_utc is None:
        hint = "write it in RFC 3339 with its offset, such as 2026-11-20T02:00:00Z"
        raise InvalidInvocation(f"{name} is {text!r:.60}, which is not an instant", hint=hint)
    return in_utc


def _named_by(run_id: str) -> datetime:
    """The instant that a run's id begins with."""
    try:
        return datetime.strptime(run_id.partition("~")[0], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        hint = "send scheduled_for, or a run id such as 20261120T020000Z"
        raise InvalidInvocation(f"the run {run_id!r:.60} has no instant", hint=hint) from None


def _count(name: str, value: Any) -> int:
    if isinstance(value, str) and len(value) <= _MOST_DIGITS and value.isdecimal():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InvalidInvocation(f"{name} is {value!r:.60}, which is not a number", hint="write 0, 1, 2 …")
    return value
