"""Namespaces: what is set for all jobs of one together. A namespace needs no making: every name is one, without settings at first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from minutehand.domain.errors import Conflict, FieldProblem, Invalid
from minutehand.domain.instants import floor, to_text
from minutehand.domain.namespace import Namespace
from minutehand.usecases.ports.bundle import Ports

_TRIES = 5


class Saved(NamedTuple):
    """A namespace as it now stands, and whether anything changed."""

    namespace: Namespace
    changed: bool


def get(ports: Ports, name: str) -> Namespace:
    """What is set for a namespace."""
    return ports.namespaces.get([name]).get(name) or Namespace(name=name)


def limit(ports: Ports, name: str, most: int | None, *, who: str) -> Saved:
    """Let so many attempts be under way at once, or any number. What is under way goes on.

    Raises:
        Conflict: when others keep changing the namespace.
    """
    return _change(ports, name, lambda before, _: before.limited(most), who)


def pause(ports: Ports, name: str, *, until: datetime | None = None, who: str) -> Saved:
    """Keep the namespace's jobs from running until it is resumed, or up to an instant (aware, whole seconds); what is under way goes on,
    and so does what is asked for by hand.

    Raises:
        Invalid: when `until` is not ahead.
        Conflict: as `limit` does.
    """
    now = ports.clock()
    if until is not None and until <= now:
        message = f"{to_text(until)} is not ahead: it is {to_text(floor(now))}"
        raise Invalid(FieldProblem("until", message, "give a later instant, or none to pause it until it is resumed"))
    return _change(ports, name, lambda before, now: before.with_pause(until, now=now, who=who), who)


def resume(ports: Ports, name: str, *, who: str) -> Saved:
    """Let the namespace's jobs run again, from now on. Raises Conflict."""
    return _change(ports, name, lambda before, now: before.resumed(now=now, who=who), who)


def _change(ports: Ports, name: str, edit: Callable[[Namespace, datetime], Namespace], who: str) -> Saved:
    for _ in range(_TRIES):
        stored = ports.namespaces.get([name]).get(name)
        before, now = stored or Namespace(name=name), ports.clock()
        wanted = edit(before, now)
        if wanted == before:
            return Saved(before, changed=False)
        after = replace(wanted, revision=before.revision + 1, updated_at=now, updated_by=who)
        if ports.namespaces.save(stored, after):
            return Saved(after, changed=True)
    raise Conflict(f"namespace {name} was changed by others {_TRIES} times while this change was made; try again")
