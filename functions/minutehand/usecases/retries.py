"""Retries: of a conditional update to which another writer was faster, and of a call that a store did not answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from minutehand.domain.errors import Conflict, Unavailable

K = TypeVar("K")
S = TypeVar("S")
T = TypeVar("T")
TRIES = 5
TRIES_AT_AN_ANSWER = 4


@dataclass(frozen=True, slots=True)
class Contended(Generic[S]):
    """Another writer was faster: try again on `stored`, the record as that writer left it."""

    stored: S


CONTENDED = Contended(None)
"""The `Contended` of an update that reads its record itself, so that it needs no `stored`."""


def retry_on_conflict(update: Callable[[], T | Contended[None]], what: str) -> T:
    """Call an update, which reads its record itself, until it is not contended.

    Args:
        what: names the record in the error, as `job shop/load`.

    Raises:
        Conflict: when every one of `TRIES` calls was contended.
    """
    for _ in range(TRIES):
        done = update()
        if not isinstance(done, Contended):
            return done
    raise too_many_updates(what)


def retry_on_stored(stored: S, update: Callable[[S], T | Contended[S]], *, tries: int = TRIES) -> T | Contended[S]:
    """Call an update with the record that was read; each time another writer was faster, call it with the record as that writer
    left it. Returns `Contended` if the last try was contended too."""
    for _ in range(tries):
        done = update(stored)
        if not isinstance(done, Contended):
            return done
        stored = done.stored
    return Contended(stored)


def too_many_updates(what: str) -> Conflict:
    """The error of an update that gave up."""
    return Conflict(f"too many concurrent updates of {what}; try again")


def retry_when_unavailable(call: Callable[[], T]) -> T:
    """Call until the store answers, `TRIES_AT_AN_ANSWER` times at most. A repeated write recognizes what an earlier try stored, and
    succeeds.

    Raises:
        Unavailable: when the last call is not answered either.
    """
    for _ in range(TRIES_AT_AN_ANSWER - 1):
        try:
            return call()
        except Unavailable:
            continue
    return call()


def read_each(
    read: Callable[[Sequence[K]], Mapping[K, T]], keys: Sequence[K]
) -> tuple[dict[K, T], dict[K, Unavailable]]:
    """Read all keys at once, or one by one when that fails, so that one bad item does not block the others: what was found, and what could
    not be read."""
    found: dict[K, T] = {}
    unread: dict[K, Unavailable] = {}
    try:
        return dict(read(keys)), unread
    except Unavailable as trouble:
        if len(keys) == 1:
            return found, {keys[0]: trouble}
    for key in keys:
        one, failed = read_each(read, [key])
        found |= one
        unread |= failed
    return found, unread
