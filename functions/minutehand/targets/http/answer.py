"""The outcome that an answer means: whether it is what the job expects, and what is kept of it."""

from __future__ import annotations

from datetime import datetime
from http import HTTPStatus
from urllib.parse import urljoin

from urllib3.exceptions import LocationParseError
from urllib3.response import BaseHTTPResponse
from urllib3.util import parse_url

from minutehand.domain.run import Result, RunError, RunState
from minutehand.targets.http.deadline import Cancelled, Deadline
from minutehand.targets.http.failures import failure_of
from minutehand.targets.http.fields import ANY_2XX, MOST_REDIRECTS, HttpTarget, Mode
from minutehand.targets.http.redirects import FOLLOWED
from minutehand.targets.http.request import Request, shown
from minutehand.targets.http.response import BODY_BYTES, Content, content_of, read_beginning
from minutehand.targets.http.retry_after import retry_after
from minutehand.usecases.ports.target import Call, Outcome


def outcome_of(
    response: BaseHTTPResponse, request: Request, target: HttpTarget, call: Call, *, deadline: Deadline, now: datetime
) -> Outcome:
    """Read the body of an answer, and judge the answer.

    The call fails for an unexpected status, whether or not the body can be read, and for an expected one whose body breaks off, or is
    neither complete nor 1 MiB long at the time limit. If the run is cancelled, the part of the body that was read is kept.
    """
    beginning = read_beginning(response)
    cut = not beginning.whole and len(beginning.data) == BODY_BYTES
    content = content_of(beginning, response.headers)
    result = Result(type="http", status=response.status, body=content.text, cut=cut)
    expect = target.expect
    wait = retry_after(response.headers, now)
    if not expect.includes(response.status) and not isinstance(beginning.error, Cancelled):
        error = _status_error(response, request, target)
        return Outcome(state=RunState.FAILED, result=result, error=error, retry_after=wait)
    if beginning.error is not None:
        return failure_of(beginning.error, request, deadline)._replace(result=result)
    if expect.body and (problem := _body_problem(expect.body, content)):
        message = f"{_answered(response, request)}, {problem}"
        error = RunError(type="UnexpectedBody", message=message)
        return Outcome(state=RunState.FAILED, result=result, error=error, retry_after=wait)
    if target.mode is Mode.CALLBACK or (target.mode is Mode.AUTO and response.status == HTTPStatus.ACCEPTED):
        return _accepted(result, call, request)
    return Outcome(state=RunState.SUCCEEDED, result=result)


def _accepted(result: Result, call: Call, request: Request) -> Outcome:
    if call.callback_url:
        return Outcome(state=RunState.WAITING, result=result)
    message = (
        f"{request.where} accepted the work but has no address to report to: this service does not know its own URL. "
        "Its operator can set CallbackUrl. If 202 is the target's final answer, set target.mode to sync"
    )
    return Outcome(state=RunState.FAILED, result=result, error=RunError(type="NoCallbackUrl", message=message))


def _body_problem(pattern: str, content: Content) -> str:
    """Why a body is not as expected, in words that follow a comma; empty if it is."""
    if not content.is_text:
        return f"whose body is not text but {content.text}; target.expect.body needs a text"
    from minutehand.targets.http.patterns import SEARCHED, is_found  # noqa: PLC0415 - few jobs have a pattern

    if is_found(pattern, content.text):
        return ""
    within = f" within its first {SEARCHED:,} bytes" if len(content.text) > SEARCHED else ""
    return f"whose body does not match target.expect.body{within}"


def _status_error(response: BaseHTTPResponse, request: Request, target: HttpTarget) -> RunError:
    answered, expected = _answered(response, request), target.expect.status
    location = response.headers.get("location")
    if response.status not in (300, *FOLLOWED) or location is None:
        instead = "" if expected == ANY_2XX.status else f"; target.expect.status is {', '.join(expected)}"
        return RunError(type="HttpStatus", message=answered + instead)
    try:
        to = shown(parse_url(urljoin(request.url, location)))
    except (LocationParseError, ValueError):
        to = "a location that cannot be read"
    why = _why_not_followed(response.status, target.redirects)
    return RunError(type="Redirect", message=f"{answered}, which points to {to}; {why}")


def _why_not_followed(status: int, redirects: int) -> str:
    """Why a redirect ends the call, and what would change it."""
    if redirects and status not in FOLLOWED:
        return f"a redirect with the status {status} is never followed: set target.url to the final URL"
    if not redirects:
        why, more = (
            "redirects are not followed, since target.redirects is 0",
            f"set target.redirects (1 to {MOST_REDIRECTS})",
        )
    else:
        why = f"the target redirects more often than target.redirects ({redirects}) allows"
        more = "" if redirects >= MOST_REDIRECTS else f"raise target.redirects (at most {MOST_REDIRECTS})"
    return f"{why}: set target.url to the final URL" + (more and f", or {more}")


def _answered(response: BaseHTTPResponse, request: Request) -> str:
    return f"{response.status} {_phrase(response)}".strip() + f" from {request.where}"


def _phrase(response: BaseHTTPResponse) -> str:
    """The standard phrase of an HTTP status; for an unknown status, the phrase that the target sent."""
    try:
        return HTTPStatus(response.status).phrase
    except ValueError:
        return "".join(c for c in response.reason or "" if c.isprintable())[:60]
