"""What becomes of each field of an export: one table a system, which the conversion, the report and the guide share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any


class Outcome(StrEnum):
    """What becomes of a field of an export."""

    CARRIED = "carried over"
    """The job means the same."""
    CHANGED = "changed"
    """The job has it, with another meaning; the reason says which."""
    IMPOSSIBLE = "not possible"
    """The job lacks it; the reason says why, and often what does the same."""
    DROPPED = "not needed"
    """It says nothing about what runs when."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What becomes of a `field` of an export, if several things may: in a `case`.

    into: the job's field. reason: why, for people. to_complete: what the user has to complete, until a target is given. default: a value that needs no remark, such as one that the system itself writes
    into every export.
    """

    field: str
    outcome: Outcome
    case: str = ""
    into: str = ""
    reason: str = ""
    to_complete: str = ""
    default: Any = None

    @property
    def whole_reason(self) -> str:
        """The reason, with what is to be completed."""
        return f"{self.reason}; {self.to_complete}" if self.to_complete else self.reason


def carried(field: str, into: str, *, case: str = "", reason: str = "") -> Rule:
    """A field that means the same in the job."""
    return Rule(field=field, outcome=Outcome.CARRIED, case=case, into=into, reason=reason)


def changed(field: str, into: str, reason: str, *, case: str = "", to_complete: str = "") -> Rule:
    """A field that means something else in the job."""
    return Rule(field=field, outcome=Outcome.CHANGED, case=case, into=into, reason=reason, to_complete=to_complete)


def impossible(field: str, reason: str, *, case: str = "", to_complete: str = "", default: Any = None) -> Rule:
    """A field that no job can have."""
    return Rule(
        field=field, outcome=Outcome.IMPOSSIBLE, case=case, reason=reason, to_complete=to_complete, default=default
    )


def dropped(*fields: str, reason: str) -> tuple[Rule, ...]:
    """Fields that say nothing about what runs when."""
    return tuple(Rule(field=field, outcome=Outcome.DROPPED, reason=reason) for field in fields)


class Rules:
    """The rules of a system, in the order of its guide."""

    def __init__(self, *rules: Rule) -> None:
        self.all: Sequence[Rule] = rules
        self._by_key: Mapping[tuple[str, str], Rule] = MappingProxyType({(r.field, r.case): r for r in rules})
        if len(self._by_key) < len(rules):
            raise ValueError("two rules are for the same field and case")

    def of(self, field: str, case: str = "") -> Rule:
        """The rule of a field. Raises KeyError: the tables are part of the program."""
        return self._by_key[field, case]

    def untouched(self, field: str) -> Rule | None:
        """The rule of a field that no conversion reads: not possible, or not needed; None for an unknown field."""
        found = self._by_key.get((field, ""))
        return found if found is not None and found.outcome in {Outcome.IMPOSSIBLE, Outcome.DROPPED} else None


UNKNOWN = "this importer does not know the field"
"""The reason for a field without a rule."""
