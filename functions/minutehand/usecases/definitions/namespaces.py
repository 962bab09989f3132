"""Manage a namespace's settings, which apply to all its jobs. Every valid name is a namespace; at first it has no settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from minutehand.domain.actor import Actor
from minutehand.domain.audit import Action, audit_record
from minutehand.domain.declaration.conversion import shown
from minutehand.domain.instants import to_text
from minutehand.domain.namespace import Namespace
from minutehand.domain.precondition import ALWAYS, Precondition, Version
from minutehand.domain.quota import QuotaLimits
from minutehand.usecases.definitions.asked import Asked
from minutehand.usecases.definitions.manage import check_future
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.retries import CONTENDED, Contended, retry_on_conflict


class Saved(NamedTuple):
    """The stored namespace, and whether anything changed."""

    namespace: Namespace
    changed: bool


def get(ports: Ports, name: str) -> Namespace:
    """The settings of a namespace; empty settings if none are stored."""
    return ports.namespaces.get([name]).get(name) or Namespace(name=name)


def version_of(namespace: Namespace | None) -> Version | None:
    """The version of a namespace's settings; None if none are stored."""
    if namespace is None or namespace.revision == 0:
        return None
    return Version(str(namespace.revision), namespace.revision, namespace.updated_at, namespace.updated_by)


def limit(ports: Ports, name: str, most: int | None, *, who: Actor, only_if: Precondition = ALWAYS) -> Saved:
    """Set the namespace's concurrency limit (None: no limit). Attempts that have begun continue.

    Raises:
        ChangedMeanwhile: when the stored settings are not as `only_if` demands.
        Conflict: after too many concurrent updates.
    """
    return _change(
        ports, name, lambda before, _: replace(before, max_concurrency=most), Asked(who, Action.SAVE, only_if)
    )


def shadow(ports: Ports, name: str, *, on: bool, who: Actor, only_if: Precondition = ALWAYS) -> Saved:
    """Put the namespace's jobs in shadow, or take them out of it, from their next attempts on. Attempts that have begun continue.

    Raises:
        ChangedMeanwhile: when the stored settings are not as `only_if` demands.
        Conflict: after too many concurrent updates.
    """
    return _change(ports, name, lambda before, _: replace(before, shadow=on), Asked(who, Action.SHADOW, only_if))


def set_quota(ports: Ports, name: str, quota: QuotaLimits, *, who: Actor, only_if: Precondition = ALWAYS) -> Saved:
    """Set the namespace's quota. What exceeds it already stays: jobs, and attempts that have begun.

    Raises:
        ChangedMeanwhile: when the stored settings are not as `only_if` demands.
        Conflict: after too many concurrent updates.
    """
    asked = Asked(who, Action.QUOTA, only_if)
    return _change(ports, name, lambda before, now: replace(before, quota=quota.since(before.quota, now)), asked)


def pause(
    ports: Ports, name: str, *, until: datetime | None = None, who: Actor, only_if: Precondition = ALWAYS
) -> Saved:
    """Pause the namespace's jobs until it is resumed, or until an instant (aware, whole seconds).

    Runs that have begun continue, and triggered runs start.

    Raises:
        Invalid: when `until` is not in the future.
        ChangedMeanwhile: when the stored settings are not as `only_if` demands.
        Conflict: after too many concurrent updates.
    """
    check_future(until, ports.clock())
    asked = Asked(who, Action.PAUSE, only_if)
    return _change(ports, name, lambda before, now: before.with_pause(until, now=now, who=who.name), asked)


def resume(ports: Ports, name: str, *, who: Actor, only_if: Precondition = ALWAYS) -> Saved:
    """Let the namespace's jobs run again, from now on. Raises ChangedMeanwhile, Conflict."""
    asked = Asked(who, Action.RESUME, only_if)
    return _change(ports, name, lambda before, now: before.resumed(now=now, who=who.name), asked)


def _change(ports: Ports, name: str, edit: Callable[[Namespace, datetime], Namespace], asked: Asked) -> Saved:
    def update() -> Saved | Contended[None]:
        stored = ports.namespaces.get([name]).get(name)
        asked.only_if.check(version_of(stored), f"namespace {name}")
        before, now = stored or Namespace(name=name), ports.clock()
        wanted = edit(before, now)
        if wanted == before:
            return Saved(before, changed=False)
        after = replace(wanted, revision=before.revision + 1, updated_at=now, updated_by=asked.who.name)
        audit = audit_record(
            asked.who,
            asked.action,
            now,
            namespace=name,
            revision=after.revision,
            before=_document(before, now),
            after=_document(after, now),
            kept=ports.audit_retention,
        )
        return Saved(after, changed=True) if ports.namespaces.save(stored, after, audit) else CONTENDED

    return retry_on_conflict(update, f"namespace {name}")


def _document(namespace: Namespace, now: datetime) -> dict[str, Any]:
    """What records of changes compare."""
    pause = namespace.paused(now)
    until = None if pause is None or pause.until is None else {"until": to_text(pause.until)}
    return {
        "max_concurrency": namespace.max_concurrency,
        "paused": until or pause is not None,
        "shadow": namespace.shadow,
        "quota": shown(namespace.quota.limits),
    }
