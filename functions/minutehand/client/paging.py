"""Cursor-based pagination."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from minutehand.client.errors import AnswerError
from minutehand.client.results import Page

T = TypeVar("T")

PAGE_SIZE = 50


def pages(fetch: Callable[[int, str | None], Page[T]]) -> Iterator[Page[T]]:
    """All pages of a list, each fetched with `fetch(limit, cursor)` when it is needed.

    Raises AnswerError when a page names itself as the next one.
    """
    cursor = None
    while True:
        page = fetch(PAGE_SIZE, cursor)
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
) -> Page[T]:
    """One page of at most `limit` items (None: all), starting at `cursor`; its `next` continues after them.

    Items that `keep` rejects do not count; further pages are read until there are enough others.
    """
    items: list[T] = []
    size = PAGE_SIZE if limit is None else min(PAGE_SIZE, limit)
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
        size = PAGE_SIZE if limit is None or not wanted else min(PAGE_SIZE, limit - len(items))
