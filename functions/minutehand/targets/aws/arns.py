"""ARNs of targets: their parts, the checks of a job's fields, and the patterns of those that jobs may reach."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from minutehand.domain.declaration.field import Refused

_ARN = re.compile(r"arn:(aws[a-z-]*):([a-z0-9-]+):([a-z0-9-]*):([0-9]{12}):([!-~]{1,512})", re.ASCII)


class Arn(NamedTuple):
    """The parts of an ARN: `arn:partition:service:region:account:resource`."""

    partition: str
    service: str
    region: str
    account: str
    resource: str

    @classmethod
    def parse(cls, text: str) -> Arn:
        """The parts of a text that a field's check has accepted.

        Raises:
            ValueError: for any other text.
        """
        found = _ARN.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r:.60} is not an ARN")
        return cls(*found.groups())

    @property
    def name(self) -> str:
        """The last part of the resource, after its kind: the name of a function, a queue or a topic."""
        return re.split(r"[:/]", self.resource)[-1]


def arn_check(service: str, resource: str, example: str) -> Callable[[str], None]:
    """A check that refuses any text but the ARN of one kind of resource.

    Args:
        service: the ARN's service, such as `lambda`.
        resource: a regular expression of the resource.
        example: an ARN that is right, for the hint.
    """
    wanted = re.compile(resource, re.ASCII)

    def check(text: str) -> None:
        found = _ARN.fullmatch(text)
        if found is None or found[2] != service or not wanted.fullmatch(found[5]):
            raise Refused(f"{text!r:.100} is not such an ARN", f"write one such as {example}")

    return check


check_role = arn_check("iam", r"role/[\w+=,.@/-]{1,512}", "arn:aws:iam::111122223333:role/reports")
"""Refuses any text but the ARN of a role."""


def is_in(arn: str, patterns: Iterable[str]) -> bool:
    """Whether a pattern covers an ARN. As in IAM's policies, `*` stands for any text, and `?` for one character."""
    return any(re.fullmatch(_expression(pattern), arn, re.DOTALL) for pattern in patterns)


def _expression(pattern: str) -> str:
    return re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
