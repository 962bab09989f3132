"""Where a target names secrets, and whether the jobs of its namespace may use them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from minutehand.domain.errors import FieldProblem
from minutehand.domain.job import Target
from minutehand.domain.secret_prefixes import SecretPrefix, refusal
from minutehand.domain.secret_reference import SecretReference
from minutehand.domain.template import Placeholder, placeholders
from minutehand.targets.target_type import TargetType


class Use(NamedTuple):
    """A place at which a target names a secret.

    Attributes:
        path: the field, such as `target.headers.Authorization`.
        column: 0-based position in its text.
    """

    path: str
    reference: SecretReference
    column: int


def uses(kind: TargetType[Any], target: Target) -> Iterator[Use]:
    """Every place at which a valid target names a secret."""
    for path, value in kind.templates(target):
        for place, found in placeholders(value, path):
            if isinstance(found, Placeholder) and found.secret is not None:
                yield Use(place, found.secret, found.column)
    for path, text in kind.references(target):
        if text:
            yield Use(path, SecretReference.parse(text), 0)


def problems(found: Iterable[Use], namespace: str, prefixes: Sequence[SecretPrefix]) -> Iterator[FieldProblem]:
    """The problems of those that jobs of a namespace may not use."""
    for use in found:
        if why := refusal(prefixes, use.reference, namespace):
            yield FieldProblem(use.path, *why, use.column)
