"""Manage a namespace's settings, which apply to all its jobs. Every valid name is a namespace; at first it has no settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from minutehand.domain.namespace import Namespace
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


def limit(ports: Ports, name: str, most: int | None, *, who: str) -> Saved:
    """Set the namespace's concurrency limit (None: no limit). Attempts that have begun continue.

    Raises:
        Conflict: after too many concurrent updates.
    """
    return _change(ports, name, lambda before, _: replace(before, max_concurrency=most), who)


def pause(ports: Ports, name: str, *, until: datetime | None = None, who: str) -> Saved:
    """Pause the namespace's jobs until it is resumed, or until an instant (aware, whole seconds).

    Runs that have begun continue, and triggered runs start.

    Raises:
        Invalid: when `until` is not in the future.
        Conflict: after too many concurrent updates.
    """
    check_future(until, ports.clock())
    return _change(ports, name, lambda before, now: before.with_pause(until, now=now, who=who), who)


def resume(ports: Ports, name: str, *, who: str) -> Saved:
    """Let the namespace's jobs run again, from now on. Raises Conflict."""
    return _change(ports, name, lambda before, now: before.resumed(now=now, who=who), who)


def _change(ports: Ports, name: str, edit: Callable[[Namespace, datetime], Namespace], who: str) -> Saved:
    def update() -> Saved | Contended[None]:
        stored = ports.namespaces.get([name]).get(name)
        before, now = stored or Namespace(name=name), ports.clock()
        wanted = edit(before, now)
        if wanted == before:
            return Saved(before, changed=False)
        after = replace(wanted, revision=before.revision + 1, updated_at=now, updated_by=who)
        return Saved(after, changed=True) if ports.namespaces.save(stored, after) else CONTENDED

    return retry_on_conflict(update, f"namespace {name}")
