"""Audit: a record of each change that somebody asked for: who, when, from where, what, before and after. Pure.

Secrets are hidden (`hidden`), and long values are cut: the record must be small enough for the transaction that makes the change.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from minutehand.domain.actor import Actor
from minutehand.domain.difference import ABSENT, Difference, differences
from minutehand.domain.instants import SECOND, ceiling, floor, to_text

MASK = "****"
LONGEST_VALUE = 2_000
"""Most bytes of a value that a record keeps, as JSON; of the values before and after each."""
MOST_CHANGES = 20
"""Most differences that a record keeps."""
CUT = "…"
"""The last character of a text that is the beginning of a longer value."""

_CREDENTIAL = re.compile(
    r"auth|bearer|cookie|credential|passw|pwd|secret|session|signature|token|api[-_]?key|access[-_]?key|-key$",
    re.IGNORECASE,
)
_PARAMETER = re.compile(rf"(?:{_CREDENTIAL.pattern})|^(?:key|sig)$", re.IGNORECASE)
"""Names of credentials in the query of an address, where a short name is usual, too."""
_SCHEME = re.compile(r"\s*(?:basic|bearer|digest|apikey|token|negotiate|aws4-hmac-sha256)\s+\S", re.IGNORECASE)
_IN_QUERY = re.compile(r"(?<=[?&;])([^=&;#]*)=([^&;#]*)")
_REFERENCE = re.compile(r"ssm:/|secretsmanager:")
_PLACEHOLDER = re.compile(r"\{\{\s*secret:")


class Action(Enum):
    """What somebody did."""

    SAVE = "save"
    """A job, a calendar or a namespace's settings were created or replaced."""
    RESTORE = "restore"
    """An earlier revision of a job was saved again."""
    PAUSE = "pause"
    """A job or a namespace was paused, or its pause got another end."""
    RESUME = "resume"
    """A job or a namespace was resumed."""
    SHADOW = "shadow"
    """All jobs of a namespace were put in shadow, or taken out of it."""
    DELETE = "delete"
    """A job or a calendar was deleted."""
    TRIGGER = "trigger"
    """A run was started by request."""
    CANCEL = "cancel"
    """A run was cancelled, or its worker or target was asked to end it."""
    REDRIVE = "redrive"
    """Runs were sent to the workers again, or lost runs were replaced."""
    PURGE = "purge"
    """Runs of a job were removed for good, or their outputs."""
    QUOTA = "quota"
    """A namespace's quota was set or removed."""
    BACKFILL = "backfill"
    """A backfill was started."""
    CANCEL_BACKFILL = "cancel_backfill"
    """A backfill was cancelled."""
    ASK_NODE = "ask_node"
    """A node of a pool was asked to run, to pause or to drain."""
    CREATE_TOKEN = "create_token"  # noqa: S105 - the name of an action
    """A token was made."""
    REVOKE_TOKEN = "revoke_token"  # noqa: S105 - the name of an action
    """A token was deleted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditRecord:
    """A change that somebody asked for.

    Attributes:
        at: when, in whole milliseconds.
        namespace: the namespace; `*` for a change that is not of one namespace, such as a new token.
        job, calendar: the name of what was changed in the namespace; both are empty for anything else, such as the namespace itself.
        revision: the number that the change got, where changes are numbered.
        about: further names and values, such as the id of a run.
        changes: what differs, as documents of the API have it, without secrets.
        left_out: how many further differences there are.
        expires_at: when the record may be forgotten.
    """

    at: datetime
    actor: Actor
    action: Action
    namespace: str
    job: str = ""
    calendar: str = ""
    revision: int | None = None
    about: Mapping[str, Any]
    changes: tuple[Difference, ...] = ()
    left_out: int = 0
    expires_at: datetime

    @property
    def id(self) -> str:
        """Identifies the record in its namespace, and sorts records by time: `2026-11-20T09:00:00.123Z#1f0c…`."""
        about = json.dumps(
            [self.action.value, self.job, self.calendar, self.revision, dict(self.about)], sort_keys=True
        )
        digest = hashlib.sha256(f"{self.actor.request} {about}".encode()).hexdigest()
        return f"{place_of(self.at)}#{digest[:12]}"


def place_of(instant: datetime) -> str:
    """The text of an instant that sorts as instants do: always with milliseconds."""
    return f"{to_text(floor(instant)).removesuffix('Z')}.{instant.microsecond // 1000:03}Z"


def audit_record(
    actor: Actor,
    action: Action,
    at: datetime,
    *,
    namespace: str,
    job: str = "",
    calendar: str = "",
    revision: int | None = None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    kept: timedelta,
    **about: Any,
) -> AuditRecord:
    """The record of a change.

    Args:
        before, after: the changed thing's documents; None for none.
        kept: how long the record is kept.
        about: further names and values.
    """
    found = differences(before or {}, after or {})
    return AuditRecord(
        at=at,
        actor=actor,
        action=action,
        namespace=namespace,
        job=job,
        calendar=calendar,
        revision=revision,
        about={name: value for name, value in about.items() if value is not None},
        changes=tuple(_kept(each) for each in found[:MOST_CHANGES]),
        left_out=max(len(found) - MOST_CHANGES, 0),
        expires_at=ceiling(at) + max(kept, SECOND),
    )


def _kept(difference: Difference) -> Difference:
    names = [name.replace("~1", "/").replace("~0", "~") for name in difference.path.split("/")[1:]]
    return difference._replace(before=_shown(difference.before, names), after=_shown(difference.after, names))


def _shown(value: Any, names: list[str]) -> Any:
    return value if value is ABSENT else _cut(hidden(value, names))


def hidden(value: Any, names: Iterable[str] = ()) -> Any:
    """A part of a thing's document without what looks like a credential. Only targets have such: payloads are shown.

    Hidden are texts of fields, headers, parameters and variables whose name says so (`Authorization`, `X-Functions-Key`, `DB_PASSWORD`; in a query also `key` and `sig`), texts
    that begin with an authorization scheme (`Bearer …`), and such parameters in URLs. References to secrets are shown.

    Args:
        names: names of the fields around the value, from the document's own field on.
    """
    path = [*names]
    if isinstance(value, Mapping):
        return {name: hidden(inner, [*path, name]) for name, inner in value.items()}
    if isinstance(value, list):
        return [hidden(inner, [*path, str(index)]) for index, inner in enumerate(value)]
    if not isinstance(value, str) or path[:1] != ["target"]:
        return value
    if _REFERENCE.match(value) or _PLACEHOLDER.search(value):
        return value
    names_of = _PARAMETER if path[1:2] == ["query"] else _CREDENTIAL
    if value and (_SCHEME.match(value) or any(map(names_of.search, path[1:]))):
        return MASK
    return _IN_QUERY.sub(lambda found: f"{found[1]}={MASK if _PARAMETER.search(found[1]) else found[2]}", value)


def _cut(value: Any) -> Any:
    """A value that is not too long; of a longer one the beginning, as text that ends with `CUT`."""
    text = _json(value)
    if len(text.encode()) <= LONGEST_VALUE:
        return value
    beginning = (value if isinstance(value, str) else text).encode()[: LONGEST_VALUE // 2].decode(errors="ignore")
    while len(_json(beginning + CUT).encode()) > LONGEST_VALUE:  # control characters take six bytes each
        beginning = beginning[: len(beginning) // 2]
    return beginning + CUT


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
