"""Precondition of a change: which version of a thing must be stored for the change to be made (RFC 9110, 13.1)."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from minutehand.domain.errors import MinutehandError
from minutehand.domain.instants import floor, to_text


class Version(NamedTuple):
    """The version of a stored thing.

    Attributes:
        tag: differs for each version that was ever stored under the name; an answer's `ETag`, without its quotes.
        revision: number of the latest change.
        at, by: when the latest change was made, and by which token; None and empty where there was none yet.
    """

    tag: str
    revision: int
    at: datetime | None
    by: str


class ChangedMeanwhile(MinutehandError):
    """The stored version is not one that the request allows. `tag` is its tag; empty if nothing is stored."""

    def __init__(self, message: str, tag: str) -> None:
        super().__init__(message)
        self.tag = tag


class Precondition(NamedTuple):
    """What must be stored for a change to be made. By default, anything may be.

    Attributes:
        tags: tags of which the stored version must have one (`If-Match: "7"`). The number of its revision will do, too.
        exists: whether something must be stored (`If-Match: *`).
        absent: whether nothing may be stored (`If-None-Match: *`).
    """

    tags: frozenset[str] | None = None
    exists: bool = False
    absent: bool = False

    def check(self, stored: Version | None, what: str) -> None:
        """Check the version that was read. The write that follows must be conditional on that version.

        Args:
            stored: None if nothing is stored.
            what: names the thing in the error, as `job shop/load`.

        Raises:
            ChangedMeanwhile: naming the stored version, and who made it when.
        """
        if stored is None:
            if self.exists or self.tags is not None:
                raise ChangedMeanwhile(f"there is no {what}; leave If-Match out to create it", "")
        elif self.absent:
            raise ChangedMeanwhile(
                f"{what} exists already{_made(stored)}; leave If-None-Match out to replace it", stored.tag
            )
        elif self.tags is not None and self.tags.isdisjoint((stored.tag, str(stored.revision))):
            raise ChangedMeanwhile(
                f"{what} has another version than If-Match names{_made(stored)}; read it again, and send its ETag",
                stored.tag,
            )


def _made(stored: Version) -> str:
    if stored.at is None:
        return f": revision {stored.revision}"
    return f": revision {stored.revision}, which {stored.by} made at {to_text(floor(stored.at))}"


ALWAYS = Precondition()
"""The precondition of a request that names none."""
