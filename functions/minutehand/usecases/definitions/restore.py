"""Restore what was exported: settings of a namespace, and pauses, of which some may have ended since."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from minutehand.domain.instants import from_text
from minutehand.usecases.definitions import namespaces

if TYPE_CHECKING:
    from minutehand.domain.actor import Actor
    from minutehand.domain.namespace import Namespace
    from minutehand.usecases.ports.bundle import Ports


class Settings(NamedTuple):
    """Exported settings of a namespace.

    Attributes:
        max_concurrency: None for no limit.
        shadow: whether its jobs called no target.
        paused: whether it is to be paused until it is resumed, or until when.
    """

    max_concurrency: int | None
    shadow: bool
    paused: bool | datetime


class Restored(NamedTuple):
    """The stored namespace; whether it got its first settings, and whether anything changed."""

    namespace: Namespace
    created: bool
    changed: bool


def restore_namespace(ports: Ports, name: str, settings: Settings, *, who: Actor) -> Restored:
    """Give a namespace the settings of an export. It is put in shadow but never taken out: what is restored must not call what it did
    not call. Each step is stored by itself, the shadow first; doing it again completes it, and then changes nothing.

    Raises:
        Invalid: for a pause that has ended (see `still_paused`).
        Conflict: after too many concurrent updates.
    """
    before = namespaces.get(ports, name)
    if settings.shadow:
        namespaces.shadow(ports, name, on=True, who=who)
    saved = namespaces.limit(ports, name, settings.max_concurrency, who=who)
    if settings.paused is False:
        saved = namespaces.resume(ports, name, who=who)
    else:
        until = None if settings.paused is True else settings.paused
        saved = namespaces.pause(ports, name, until=until, who=who)
    changed = saved.namespace.revision != before.revision
    return Restored(saved.namespace, changed and before.revision == 0, changed)


def still_paused(paused: Any, now: datetime) -> Any:
    """The field `paused` of an exported document as it is to be restored: false for a pause that has ended since. A value that is none
    stays as it is, for checks to refuse."""
    until = paused.get("until") if isinstance(paused, Mapping) else None
    if not isinstance(until, str):
        return paused
    try:
        return paused if from_text(until) > now else False
    except ValueError:
        return paused
