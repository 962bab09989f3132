"""Imports of a text, as the command line makes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from minutehand.cli.documents.yaml_json import read_json, read_yaml
from minutehand.schedule import Schedule
from minutehand.tools.importers.completion import Completion
from minutehand.tools.importers.drafts import Draft, Exported, Terms
from minutehand.tools.importers.rules import Outcome
from minutehand.tools.importers.running import Import, run_import
from minutehand.tools.importers.systems import SYSTEMS, TEXT_READERS

NOW = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)


def imported(
    system: str,
    documents: Iterable[tuple[int, Any]],
    *,
    namespace: str | None = None,
    timezone: str = "UTC",
    completion: Completion | None = None,
) -> Import:
    exported = [Exported(place=f"export:{line}", content=content) for line, content in documents]
    terms = Terms(namespace=namespace, timezone=timezone, now=NOW)
    return run_import(SYSTEMS[system], exported, terms, completion or Completion())


def from_json(system: str, text: str, **options: Any) -> Import:
    return imported(system, read_json(text), **options)


def from_yaml(system: str, text: str, **options: Any) -> Import:
    return imported(system, read_yaml(text), **options)


def from_text(system: str, suffix: str, text: str, **options: Any) -> Import:
    return imported(system, TEXT_READERS[system, suffix](text), **options)


def only(done: Import) -> Draft:
    """The draft of an import that makes one job, and leaves nothing out."""
    [draft] = done.drafts
    assert draft.refused is None, draft.refused
    return draft


def refused(done: Import) -> str:
    """Why the only entry of an export is left out."""
    [draft] = done.drafts
    assert draft.refused is not None
    return f"{draft.refused.field}: {draft.refused.reason}"


def fields(draft: Draft, outcome: Outcome) -> set[str]:
    """The fields that had an outcome."""
    return {found.field for found in draft.findings if found.outcome is outcome}


def changed(draft: Draft) -> set[str]:
    return fields(draft, Outcome.CHANGED) - {"name"}


def lost(draft: Draft) -> set[str]:
    return fields(draft, Outcome.IMPOSSIBLE)


def schedule_of(document: Mapping[str, Any]) -> Schedule:
    """The schedule of a job, with what it counts from."""
    anchor = datetime.fromisoformat(document["start_at"]) if "start_at" in document else None
    return Schedule.parse(
        document["schedule"], document["timezone"], document.get("dialect"), name="a/b", anchor=anchor
    )


def instants(document: Mapping[str, Any], start: datetime, count: int) -> Sequence[datetime]:
    return schedule_of(document).between(start, datetime(2199, 1, 1, tzinfo=UTC), count)
