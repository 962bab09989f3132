"""The adapter by which a web service runs its handlers: a function for its own route, whatever its framework."""

import hmac
import json
import logging
import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

from minutehand.client.errors import ConfigurationError, MinutehandError
from minutehand.client.run_headers import Headers
from minutehand.handlers.app import App
from minutehand.handlers.errors import InvalidInvocation
from minutehand.handlers.invocation import Invocation
from minutehand.handlers.reports import work_off
from minutehand.handlers.worker import Worker, worker_of

_log = logging.getLogger(__name__)
_UNDER_WAY: set[tuple[str, str, int]] = set()
_LOCK = threading.Lock()


class Reply(NamedTuple):
    """The answer to a request: status, headers and body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def answer(
    app: App, headers: Headers | Mapping[str, str], body: bytes, *, secret: str | None, handler: str | None = None
) -> Reply:
    """Answer a request of a target of type `http` by running its handler.

    A target that may answer later gets 202 at once; its handler runs in a thread, and reports when it ends. With `mode: sync`
    the answer has the handler's result, or the status 500 and its error.

    Args:
        headers: the request's headers, a dictionary, a message of `http.server`, or a WSGI environment.
        secret: what the header `Authorization: Bearer SECRET` must hold; None if the service has checked its caller itself.
        handler: name of the handler; by default, the job's name decides.

    Raises:
        ConfigurationError: if the secret is empty; anybody could send it.
    """
    if secret is not None and not secret.strip():
        hint = "give the secret that jobs send, or None if the service has checked its caller itself"
        raise ConfigurationError("the secret is empty", hint=hint)
    if secret is not None and not _is_authorized(headers, secret):
        return _reply(401, {"error": {"type": "NotAllowed", "message": "the header Authorization lacks the secret"}})
    try:
        invocation = Invocation.of_request(headers, body, handler=handler)
    except InvalidInvocation as error:
        return _reply(400, {"error": {"type": "InvalidInvocation", "message": str(error)}})
    worker = worker_of(app)
    if invocation.callback is not None:
        _begin(worker, invocation)
        return _reply(202, {"accepted": f"{invocation.job}/{invocation.run_id}"})
    outcome = worker.run(invocation)
    if outcome.error is None:
        return _reply(200, outcome.result)
    failed = outcome.error
    return _reply(500, {"error": {"type": failed.type, "message": failed.message, "stack": failed.stack}})


def _begin(worker: Worker, invocation: Invocation) -> None:
    """Run an invocation in a thread, unless this process is at that attempt already: a request may be repeated."""
    key = invocation.job, invocation.run_id, invocation.attempt
    with _LOCK:
        if key in _UNDER_WAY:
            return
        _UNDER_WAY.add(key)

    def work() -> None:
        try:
            work_off(worker, invocation)
        except MinutehandError:
            _log.exception("the outcome of %s %s could not be reported", *key[:2], extra={"action": "report"})
        finally:
            with _LOCK:
                _UNDER_WAY.discard(key)

    threading.Thread(target=work, name=f"run {invocation.run_id}").start()


def _is_authorized(headers: Headers | Mapping[str, str], secret: str) -> bool:
    names = ("authorization", "http_authorization")  # the second in a WSGI environment
    given = next((str(text) for name, text in headers.items() if str(name).lower() in names), "")
    scheme, _, token = given.partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(_bytes(token.strip()), _bytes(secret))


def _bytes(text: str) -> bytes:
    """A text as bytes, also one with lone surrogates, as which some servers read bytes that are not UTF-8."""
    return text.encode(errors="surrogatepass")


def _reply(status: int, document: Any) -> Reply:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return Reply(status, {"Content-Type": "application/json"}, text.encode(errors="backslashreplace"))
