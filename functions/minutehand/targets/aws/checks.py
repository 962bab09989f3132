"""What is wrong with a target in AWS that is being saved: what it may not reach."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Protocol

from minutehand.domain.errors import FieldProblem
from minutehand.targets.aws.arns import Arn, is_in
from minutehand.targets.terms import AwsTerms

_SECRET = re.compile(r"\{\{\s*secret:")


class Reaching(Protocol):
    """The fields that every target in AWS has."""

    @property
    def role_arn(self) -> str | None:
        """The role with which the call is made; None for the worker's own."""

    @property
    def reaches(self) -> tuple[str, str]:
        """The field with the ARN that the call reaches, and this ARN as IAM judges it."""


def check_reach(target: Reaching, terms: AwsTerms) -> Iterator[FieldProblem]:
    """Find what the role of the worker would refuse, as far as the parameters of the stack show it; and the queues of the stack itself, to
    which the worker's role may send.

    A resource may have a tag that allows it, and a role of another account decides itself about what it reaches: only a call shows that.
    """
    role = target.role_arn
    if role is not None and not is_in(role, terms.roles):
        yield FieldProblem(
            "target.role_arn",
            f"jobs here may not assume {role}",
            f"{_known(terms.roles)}; the operator of this service can add to them (AwsTargetRoles)",
        )
    field, arn = target.reaches
    if _is_own_queue(arn, terms):
        yield FieldProblem(
            f"target.{field}", f"{arn} is a queue of this service itself, for the messages of its runs", "name another"
        )
    elif role is None and not terms.tagged and not is_in(arn, terms.arns):
        yield FieldProblem(
            f"target.{field}",
            f"{arn} is not among the ARNs that jobs here may reach",
            f"{_known(terms.arns)}; the operator of this service can add to them (AwsTargetArns)",
        )


def check_end_is_seen(target: Any, terms: AwsTerms) -> Iterator[FieldProblem]:
    """Find a target that is to be waited for in another account or region than the stack's: AWS reports its end there. A role cannot start
    anything outside its own account."""
    if not target.may_answer_later or target.needs_callback:
        return
    field, text = target.reaches
    arn = Arn.parse(text)
    if target.role_arn is not None and Arn.parse(target.role_arn).account != arn.account:
        yield FieldProblem(
            "target.mode",
            f"the end is not seen: target.role_arn is in another account than target.{field}",
            "make it start, or name a role of the same account",
        )
    elif terms.account and (arn.account, arn.region) != (terms.account, terms.region or arn.region):
        yield FieldProblem(
            "target.mode",
            f"the end is not seen: target.{field} is in another account or region than this service",
            f"make it start, or name one in account {terms.account}" + (terms.region and f" and region {terms.region}"),
        )


def check_no_secrets(target: Any) -> Iterator[FieldProblem]:
    """Find references to secrets: AWS's services keep and show what they receive, so no secret is sent to them."""
    for each in fields(target):
        value = getattr(target, each.name)
        pairs = value if isinstance(value, tuple) else ((None, value),)
        for pair in pairs:
            name, text = pair if isinstance(pair, tuple) else (None, pair)
            found = _SECRET.search(text) if isinstance(text, str) else None
            if found:
                yield FieldProblem(
                    f"target.{each.name}" + (f".{name}" if name else ""),
                    "a target in AWS is sent no secrets, since AWS's services keep what they receive",
                    "send the name of the secret, and let the receiver read it with its own role",
                    found.start(),
                )


def _is_own_queue(text: str, terms: AwsTerms) -> bool:
    arn = Arn.parse(text)
    here = arn.account == terms.account and terms.region in ("", arn.region)
    return arn.service == "sqs" and here and arn.name in terms.queues


def _known(patterns: tuple[str, ...]) -> str:
    text = ", ".join(patterns)
    shown = text if len(text) <= 200 else text[:200].rpartition(", ")[0] + ", …"
    return f"allowed are: {shown}" if shown else "none is allowed"
