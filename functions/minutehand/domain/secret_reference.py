"""References to secrets: `ssm:/shop/key` names a parameter of Parameter Store, `secretsmanager:shop/db#password` a key of a secret of
Secrets Manager. Pure.

Names are given in full, and each has one spelling only: no ARN, no version, no empty part, no part of dots alone. So a comparison of two names
as texts says what AWS would say.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from typing import Any, NamedTuple

from minutehand.domain.declaration.field import Refused
from minutehand.domain.errors import MinutehandError

RESERVED = "secret:"
"""How a placeholder begins that names a secret."""
SHORTEST = 4
"""Fewest characters of a secret. A shorter one could not be removed from answers without removing much else."""
LONGEST_KEY = 128
_HINT = "write ssm:/path/of/a/parameter, or secretsmanager:name, with #key for one key of a JSON object"
# Patterns as texts, which are compiled when they are first needed: every function loads this module, and few jobs have secrets.
_DOTS = r"\.*"
_NOT_IN_KEY = r"[\x00-\x1f\x7f-\x9f\u2028\u2029{}]"
_FIRST_OF_A_STACK = r"/minutehand/[^/]+/admin-token"


class Store(StrEnum):
    """A store of secrets in AWS."""

    SSM = "ssm"
    """Parameter Store of Systems Manager."""
    SECRETS_MANAGER = "secretsmanager"


class _Rule(NamedTuple):
    """How a store spells names: what no name contains, the most characters, and for hints the others."""

    not_in_name: str
    longest: int
    characters: str


_RULES = {
    Store.SSM: _Rule(r"[^A-Za-z0-9_.\-/]", 1011, "letters, digits, `_`, `.`, `-` and `/`"),
    Store.SECRETS_MANAGER: _Rule(r"[^A-Za-z0-9_.\-/+=@]", 512, "letters, digits, `_`, `.`, `-`, `+`, `=`, `@` and `/`"),
}


class Unusable(MinutehandError):
    """A secret is not what its reference says (no text, no object with the key, too short), or its store refuses the reference. The message does
    not quote the secret."""


class SecretReference(NamedTuple):
    """Names a secret, or one key of a secret that is a JSON object.

    Attributes:
        name: the full name; of a parameter with its leading `/`.
        key: empty for the whole secret.
    """

    store: Store
    name: str
    key: str = ""

    @classmethod
    def parse(cls, text: str) -> SecretReference:
        """Read a reference.

        Raises:
            Refused: for any other text, with the column at which it goes wrong.
        """
        start, colon, rest = text.partition(":")
        if not colon:
            raise Refused("this names no store of secrets", f"{_HINT}; if it is the secret itself, store it there", 0)
        if start not in [*Store]:
            raise Refused(f"{start[:40]!r} is no store of secrets", _store_hint(start), 0)
        store = Store(start)
        name, hash_, key = rest.partition("#")
        before = len(start) + 1
        check_name(store, name, before)
        if hash_ and not key:
            raise Refused("no key follows #", "write the key of the JSON object, or leave # out", before + len(name))
        found = re.search(_NOT_IN_KEY, key)
        if found or len(key) > LONGEST_KEY:
            column = before + len(name) + 1 + (found.start() if found else LONGEST_KEY)
            hint = f"write one line of at most {LONGEST_KEY} characters without braces"
            raise Refused("this is no key of a secret", hint, column)
        if store is Store.SSM and re.fullmatch(_FIRST_OF_A_STACK, name):
            raise Refused(
                "this parameter holds the first token of a stack, which no job may use",
                "name another parameter",
                before,
            )
        return cls(store, name, key)

    @property
    def whole(self) -> SecretReference:
        """The reference to the whole secret."""
        return self._replace(key="")

    def value_in(self, text: str) -> str:
        """What the reference names in the text of the secret.

        Raises:
            Unusable: if that is no text of at least `SHORTEST` characters.
        """
        value: Any = self._of_object(text) if self.key else text
        if not isinstance(value, str):
            raise Unusable(f"{self}: the value of this key is not a text")
        if len(value.strip()) < SHORTEST:
            raise Unusable(f"{self} has fewer than {SHORTEST} characters, so it could not be kept out of records")
        return value

    def _of_object(self, text: str) -> Any:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise Unusable(f"{self}: the secret is not a JSON object, so it has no keys")
        if self.key not in value:
            raise Unusable(f"{self}: the secret has no such key")
        return value[self.key]

    def __str__(self) -> str:
        """The reference as people write it."""
        return f"{self.store.value}:{self.name}" + (f"#{self.key}" if self.key else "")


def check_name(store: Store, name: str, column: int = 0) -> None:
    """Refuse any text but the full name of a secret.

    Args:
        column: that of the name in its text.

    Raises:
        Refused: with what is wrong.
    """
    rule = _RULES[store]
    if store is Store.SSM and not name.startswith("/"):
        raise Refused("the name of a parameter begins with /", "write ssm:/path/of/a/parameter", column)
    found = re.search(rule.not_in_name, name)
    if found:
        hint = "give the name alone, no ARN and no version" if found[0] == ":" else f"write {rule.characters}"
        raise Refused(f"{found[0]!a} is not allowed in the name of a secret", hint, column + found.start())
    if len(name) > rule.longest:
        raise Refused(
            f"the name has more than {rule.longest:,} characters", "name another secret", column + rule.longest
        )
    at = 1 if name.startswith("/") else 0
    for part in name[at:].split("/"):
        if re.fullmatch(_DOTS, part):
            what = f"{part!r} is no part of a name" if part else "a part of the name is empty"
            raise Refused(what, "write each part once, with one / between two, and none at the end", column + at)
        at += len(part) + 1


def _store_hint(given: str) -> str:
    if given.strip().lower() in [*Store]:
        return f"did you mean {given.strip().lower()}? {_HINT}"
    return f"give the name, not the ARN: {_HINT}" if given == "arn" else _HINT
