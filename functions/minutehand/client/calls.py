"""What all operations of the client share: paths, pages of lists, and checks of answers."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, cast

from minutehand.client.errors import AnswerError, Invalid, NotFound
from minutehand.client.results import Page

if TYPE_CHECKING:
    from minutehand.client.transport import Transport

T = TypeVar("T")

DEFAULT_NAMESPACE = "default"
PAGE_SIZE = 50
JOBS_AT_ONCE = 1_000
"""Jobs of a page: the most that the API answers."""


class TriggerOptions(TypedDict, total=False):
    """Options of `Client.trigger`.

    `idempotency_key`: a new one by default. `payload`: any JSON value, None included, instead of the job's payload.
    `payload_of`: the id of another run of the job, whose payload the new run gets. `ignore_overlap`: start beside other runs of the job,
    whatever its overlap policy. `node`: the one node of the pool that runs it, of a job that agents run.
    """

    idempotency_key: str | None
    payload: Any
    payload_of: str
    ignore_overlap: bool
    node: str


class Calls:
    """Base class of the client: sends requests to one API through a `Transport`, and checks the answers."""

    def __init__(self, http: "Transport") -> None:
        self._http = http

    @property
    def url(self) -> str:
        """The API's address, without a trailing slash."""
        return self._http.url

    def _definition(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Send a request whose answer is a job or a calendar, and return that."""
        answer = self._http.send(method, path, query=query, headers=headers, body=body)
        found = self._checked(answer, "namespace", "name", "status")
        self._checked(found["status"], "revision")
        return found

    def _put(
        self, path: str, document: object, dry_run: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        """Save a document. Returns what was stored before, if anything, and the answer. dry_run: query of a dry run, else empty."""

        def found() -> dict[str, Any] | None:
            try:
                return self._definition("GET", path)
            except NotFound:
                return None

        if dry_run:  # first, since a PUT's errors cover the whole document
            answer = self._definition("PUT", path, query=dry_run, body=document, headers=headers)
            return found(), answer
        before = found()
        return before, self._definition("PUT", path, body=document, headers=headers)

    def _delete(self, path: str, headers: Mapping[str, str] | None = None) -> None:
        try:
            self._http.send("DELETE", path, headers=headers)
        except NotFound as error:
            if not error.repeated:  # a repeated DELETE finds nothing if the first one's answer was lost
                raise

    def _page(
        self,
        path: str,
        limit: int,
        cursor: str | None,
        *needs: str,
        method: str = "GET",
        body: object = None,
        **more: str | Sequence[str],
    ) -> Page[Any]:
        query: dict[str, str | Sequence[str]] = (
            {"limit": str(limit)} | ({"cursor": cursor} if cursor is not None else {}) | more
        )
        page = self._checked(self._http.send(method, path, query=query, body=body), "items", "next")
        if not isinstance(page["items"], list):
            raise self._unfit("items")
        for item in page["items"]:
            self._checked(item, *needs)
        return cast("Page[Any]", page)

    def _checked(self, body: Any, *needs: str) -> dict[str, Any]:
        for key in needs:
            if not isinstance(body, dict) or key not in body:
                raise self._unfit(key)
        return cast("dict[str, Any]", body)

    def _unfit(self, key: str) -> AnswerError:
        return AnswerError(
            f"the server at {self.url} does not speak Minutehand's API: its answer has no {key!r}",
            hint="check the address, and that the SDK and the API have the same version",
        )


def key_header(given: str | None) -> dict[str, str]:
    """The idempotency header, with a new key unless one is given, so a request whose answer was lost can be sent again safely."""
    return {"Idempotency-Key": given or os.urandom(16).hex()}


def version_header(revision: int | None) -> dict[str, str]:
    """The header by which a change is made only to this revision; of 0, only if nothing is stored."""
    if revision is None:
        return {}
    return {"If-Match": f'"{revision}"'} if revision else {"If-None-Match": "*"}


def path_of(kind: str, full_name: str) -> str:
    """The API's path of a job, a calendar or a service, named `name` or `namespace/name`. kind: `jobs`, `calendars` or `services`."""
    namespace, slash, name = full_name.rpartition("/")
    return f"/v1/namespaces/{segment(namespace if slash else DEFAULT_NAMESPACE)}/{kind}/{segment(name)}"


def segment(text: str) -> str:
    """A name, quoted as a segment of the API's path. Raises Invalid for a name that would lead to another path."""
    # HTTP clients and proxies resolve dot segments, quoted or not, so the request would reach another resource.
    if text.strip(".") == "" or "/" in text:
        raise Invalid(
            422,
            {
                "title": "invalid name",
                "detail": f"{text!r} is not a valid name of a job, calendar, namespace or run",
                "hint": "a job or a calendar is `name` or `namespace/name`: lower-case letters, digits, `.`, `_` and `-`, starting with a letter or digit",
            },
        )
    from urllib.parse import quote  # noqa: PLC0415 - only a call needs it

    return quote(text, safe="~")


def utc_text(instant: datetime) -> str:
    """An aware datetime as the text that the API accepts, in UTC. Raises ValueError for a naive one."""
    if instant.tzinfo is None:
        raise ValueError(f"{instant.isoformat()} has no time zone; pass an aware datetime")
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def duration_text(duration: object) -> str:
    """A duration as the text that the API accepts, such as `90s`. A text is left as it is: the API judges it.

    Raises:
        TypeError: for any other value.
        ValueError: for a negative duration, or one with a fraction of a second.
    """
    if isinstance(duration, str):
        return duration
    if not isinstance(duration, timedelta):
        message = f"{duration!r:.60} is not a duration; pass timedelta(seconds=90), or text such as '90s' or '1h30m'"
        raise TypeError(message)
    if duration % timedelta(seconds=1) or duration < timedelta(0):
        raise ValueError(f"{duration} is not a duration in whole seconds")
    return f"{int(duration.total_seconds())}s"


def until_body(until: datetime | None) -> dict[str, str] | None:
    """The body of a request to pause, with the instant rounded up to a second, since the API accepts no fractions."""
    if until is None:
        return None
    rest = timedelta(microseconds=-until.microsecond % 1_000_000)
    return {"until": utc_text(until + rest)}


def pages(fetch: Callable[[int, str | None], Page[T]], size: int = PAGE_SIZE) -> Iterator[Page[T]]:
    """All pages of a list, each of `size` items at most and fetched with `fetch(limit, cursor)` when it is needed.

    Raises AnswerError when a page names itself as the next one.
    """
    cursor = None
    while True:
        page = fetch(size, cursor)
        yield page
        if page["next"] is None:
            return
        if page["next"] == cursor:
            raise AnswerError(
                "a page of the list names itself as its next page", hint="this is a bug of the API: report it"
            )
        cursor = page["next"]


def take(
    fetch: Callable[[int, str | None], Page[T]],
    *,
    limit: int | None,
    cursor: str | None = None,
    keep: Callable[[T], bool] = lambda _: True,
    at_once: int = PAGE_SIZE,
) -> Page[T]:
    """One page of at most `limit` items (None: all), starting at `cursor`; its `next` continues after them.

    Items that `keep` rejects do not count; further pages, of `at_once` items at most, are read until there are enough
    others.
    """
    items: list[T] = []
    size = at_once if limit is None else min(at_once, limit)
    while True:
        page = fetch(size, cursor)
        wanted = [place for place, item in enumerate(page["items"]) if keep(item)]
        missing = len(wanted) if limit is None else limit - len(items)
        if len(wanted) > missing:
            # Only the API can make a cursor after the last item: fetch a page that ends there.
            size = wanted[missing - 1] + 1
            continue
        items += [page["items"][place] for place in wanted]
        if page["next"] is None or page["next"] == cursor or (limit is not None and len(items) >= limit):
            return Page(items=items, next=page["next"])
        cursor = page["next"]
        size = at_once if limit is None or not wanted else min(at_once, limit - len(items))
