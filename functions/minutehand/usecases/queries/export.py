"""Export: everything that people declared in namespaces, page by page: settings and pauses, calendars, jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from minutehand.domain.calendar import Calendar
from minutehand.domain.definition import Definition
from minutehand.domain.namespace import Namespace
from minutehand.usecases.ports.bundle import Ports

MOST_QUERIES = 50
"""Most queries for one page; a page that ends there may be short or empty without being the last."""
CALENDARS, JOBS = "calendars", "jobs"


class ExportPlace(NamedTuple):
    """Where an export goes on in a namespace: `stage` is `calendars` or `jobs`, `after` the cursor of calendars, or a job's name."""

    namespace: str
    stage: str = CALENDARS
    after: str = ""


class Exported(NamedTuple):
    """An exported thing, and where the export goes on after it; None where it cannot go on right there."""

    thing: Namespace | Calendar | Definition
    following: ExportPlace | None = None


class ExportPage(NamedTuple):
    """A page of an export; `following` is where the next page begins, None on the last."""

    items: Sequence[Exported]
    following: ExportPlace | None


def export_page(ports: Ports, namespaces: Sequence[str], *, begin: ExportPlace | None, limit: int) -> ExportPage:
    """At most `limit` things, or a few more if calendars come before. Jobs are read whole; those deleted meanwhile are left out.

    Args:
        namespaces: in order.
        begin: where the page begins; None for the first.

    Raises:
        Invalid: when `begin` has a cursor of calendars that no page returned.
    """
    found: list[Exported] = []
    queries = 0
    for namespace in (name for name in namespaces if begin is None or name >= begin.namespace):
        if begin is not None and begin.namespace == namespace:
            place = begin
        else:
            settings = ports.namespaces.get([namespace]).get(namespace)
            found += [Exported(settings)] if settings is not None else []
            place = ExportPlace(namespace)
        while place.stage == CALENDARS:
            if len(found) >= limit or queries >= MOST_QUERIES:
                return ExportPage(found, place)
            page = ports.calendars.page(namespace, limit - len(found), place.after or None)
            queries += 1
            found += map(Exported, page.items)
            place = ExportPlace(namespace, JOBS) if page.next is None else place._replace(after=page.next)
        more = True
        while more:
            if len(found) >= limit or queries >= MOST_QUERIES:
                return ExportPage(found, place)
            listed, more = ports.definitions.listed(namespace, place.after, limit - len(found))
            queries += 1
            for definition in _whole(ports, listed):
                place = place._replace(after=definition.job.key.name)
                found.append(Exported(definition, place))
            if listed:
                place = place._replace(after=listed[-1].job.key.name)
    return ExportPage(found, None)


def _whole(ports: Ports, listed: Sequence[Definition]) -> Sequence[Definition]:
    keys = [each.job.key for each in listed]
    found = ports.definitions.get(keys) if keys else {}
    return [found[key] for key in keys if key in found and not found[key].deleted]
