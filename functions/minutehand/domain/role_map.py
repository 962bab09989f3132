"""Role map: which roles the groups of people, or principals of AWS, have in which namespaces. Declared by a parameter of the stack. Pure.

`platform=admin:*;team-a=operator:team-a,team-a-test` gives the group `platform` the role admin in all namespaces, and the group `team-a` the
role operator in two.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from minutehand.domain.caller import Grant
from minutehand.domain.token import EVERYWHERE, Role

_NAMESPACE = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}", re.ASCII)
_ARN = re.compile(r"arn:(aws[a-z-]*):(iam|sts)::([0-9]{12}):(.+)", re.ASCII)
_ROLE_BELOW_PATH = re.compile(r"arn:[^:]*:iam::[0-9]*:role/.*/.*", re.ASCII)


class Entry(NamedTuple):
    """A role of one group or principal, named as the parameter does."""

    name: str
    grant: Grant


def parse_role_map(text: str) -> tuple[Entry, ...]:
    """Parse `NAME=ROLE:NAMESPACE,NAMESPACE;NAME=…`. A name may have `=`, but no `;`; it may occur several times.

    Raises:
        ValueError: for any other text.
    """
    return tuple(_entry(each.strip()) for each in text.split(";") if each.strip())


def _entry(text: str) -> Entry:
    name, _, granted = text.rpartition("=")
    role, _, listed = granted.partition(":")
    namespaces = tuple(each.strip() for each in listed.split(","))
    known = {each.value: each for each in Role}
    right = namespaces == (EVERYWHERE,) or all(map(_NAMESPACE.fullmatch, namespaces))
    if not name.strip() or role.strip() not in known or not right:
        raise ValueError(
            f"{text!r:.120} is not NAME=ROLE:NAMESPACES; write such as platform=admin:* or team-a=operator:team-a,team-b, with one of the "
            f"roles {', '.join(known)}, and entries separated by ';'"
        )
    return Entry(name.strip(), Grant(known[role.strip()], namespaces))


def parse_principals(text: str) -> tuple[Entry, ...]:
    """Parse a role map whose names are ARNs of principals, as `grants_of_principal` reads them.

    Raises:
        ValueError: for any other text.
    """
    entries = parse_role_map(text)
    for entry in entries:
        if not _ARN.fullmatch(entry.name):
            raise ValueError(
                f"{entry.name!r:.120} is not the ARN of a principal; write such as arn:aws:iam::111122223333:role/deploy, with the account's "
                "twelve digits"
            )
        if _ROLE_BELOW_PATH.fullmatch(entry.name) and not {"*", "?"}.isdisjoint(entry.name):
            raise ValueError(
                f"{entry.name!r:.120} has a pattern beside a path: a session's ARN lacks the role's path, so a role below a path must be named "
                "in full; write such as arn:aws:iam::111122223333:role/ops/deploy, or a pattern of names alone, such as role/ops-*"
            )
    return entries


def grants_of_groups(entries: Collection[Entry], groups: Collection[str]) -> tuple[Grant, ...]:
    """What the members of these groups may do. Groups are compared as they are written, with their case."""
    return tuple(entry.grant for entry in entries if entry.name in groups)


def grants_of_principal(entries: Collection[Entry], arn: str) -> tuple[Grant, ...]:
    """What a principal of AWS IAM may do.

    An entry names the ARN as AWS gives it (`arn:aws:sts::111122223333:assumed-role/deploy/ci`, `arn:aws:iam::111122223333:user/ada`), in which
    `*` matches any text without a slash and `?` one such character, or the ARN of a role (`arn:aws:iam::111122223333:role/deploy`), which
    matches all of its sessions. The account is never a pattern, nor is a role below a path.
    """
    return tuple(entry.grant for entry in entries if any(_matches(form, arn) for form in _forms(entry.name)))


def _forms(pattern: str) -> Iterator[str]:
    found = _ARN.fullmatch(pattern)
    if found is None:
        return
    partition, service, account, resource = found.groups()
    kind, _, named = resource.partition("/")
    if (service, kind) == ("iam", "role"):
        # A session's ARN has the role's name without its path. Names of roles are unique in an account, whatever their paths.
        yield f"arn:{partition}:sts::{account}:assumed-role/{named.rpartition('/')[2]}/*"
    else:
        yield pattern


def _matches(pattern: str, arn: str) -> bool:
    expression = re.escape(pattern).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
    return re.fullmatch(expression, arn) is not None
