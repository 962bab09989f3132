"""A draft: the job that an import is making of one entry of an export, and what it has found out about the entry's fields."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from minutehand.domain.durations import format_duration
from minutehand.domain.placeholder import PLACEHOLDER
from minutehand.tools.importers.rules import UNKNOWN, Outcome, Rule, Rules


@dataclass(frozen=True, kw_only=True)
class Exported:
    """A document of an export: `place` is `file:line`."""

    place: str
    content: Any


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What an import takes from its options and its machine.

    namespace: of all jobs; None: that of the export, else the default. timezone: of schedules without one. now: jobs that can never
    run after it are left out.
    """

    namespace: str | None
    timezone: str
    now: datetime


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What became of one field of an entry. `detail` names the value or the part that matters, if that helps. `reason_once_complete`
    is the reason for a job that has a target."""

    field: str
    outcome: Outcome
    into: str = ""
    reason: str = ""
    detail: str = ""
    reason_once_complete: str = ""


class LeftOut(Exception):
    """An entry of which no job can be made: its `field`, and the reason."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field
        self.reason = reason


@dataclass(kw_only=True)
class Draft:
    """A job in the making.

    place: where the entry is in the export. source: its name in the old system. key: its identity there, by which others name it.
    wanted: the text of which the job's name is made. task: what the old system ran, such as a Celery task.
    parents: the keys of the entries after whose end it ran. refused: why no job can be made of it.
    """

    rules: Rules
    place: str
    source: str
    key: str
    wanted: str
    task: str = ""
    namespace: str | None = None
    document: dict[str, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    refused: Finding | None = None

    def set(self, name: str, *, case: str = "", detail: str = "", **values: Any) -> None:
        """Set fields of the job from a field of the entry, and note its rule."""
        self.document |= values
        self.note(name, case=case, detail=detail)

    def note(self, name: str, *, case: str = "", detail: str = "") -> None:
        """Note what became of a field, by its rule."""
        self.found(self.rules.of(name, case), detail=detail)

    def found(self, rule: Rule, *, name: str | None = None, detail: str = "") -> None:
        """Note a rule; name: the field, if it is one of several with the same rule."""
        self.findings.append(
            Finding(
                field=name or rule.field,
                outcome=rule.outcome,
                into=rule.into,
                reason=rule.whole_reason,
                detail=detail[:200],
                reason_once_complete=rule.reason,
            )
        )

    def unknown(self, name: str) -> None:
        """Note a field that no rule is about."""
        self.findings.append(Finding(field=name[:200], outcome=Outcome.IMPOSSIBLE, reason=UNKNOWN))

    def unread(self, name: str, message: str) -> None:
        """Note a field whose value cannot be read."""
        self.findings.append(Finding(field=name[:200], outcome=Outcome.IMPOSSIBLE, reason=message))

    def label(self, name: str, value: str) -> None:
        """Give the job a label."""
        self.document.setdefault("labels", {})[name] = value

    def to_complete(self) -> list[str]:
        """The fields of the target that hold a placeholder."""
        target = self.document.get("target", {})
        return [f"target.{name}" for name, value in target.items() if value == PLACEHOLDER]


def duration(seconds: float) -> str:
    """A duration of whole seconds, as jobs write it."""
    return format_duration(timedelta(seconds=seconds))


def clipped(text: str, most: int) -> str:
    """A text of at most `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def http_draft(payload: Any = None) -> dict[str, Any]:
    """The fields of a job whose work an HTTP service has to do: its target is to be completed."""
    fields: dict[str, Any] = {"target": {"type": "http", "method": "POST", "url": PLACEHOLDER}}
    return fields if payload is None else fields | {"payload": payload}


def is_mapping(value: object) -> bool:
    """Whether a value is an object of names and values."""
    return isinstance(value, Mapping)
