"""Reader of one object of an export: it takes fields one by one, and notes those that it cannot use, and those that nobody took."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from minutehand.tools.importers.drafts import Draft

_KINDS = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
_EMPTY: tuple[Any, ...] = (None, "", [], {})


class Fields:
    """The fields of an object. `path` leads to it, such as `Target.RetryPolicy.`; every remark goes to the draft.

    A field that is empty (null, an empty text, list or object) counts as left out.
    """

    def __init__(self, content: Mapping[str, Any], draft: Draft, path: str = "") -> None:
        self._left = {name: value for name, value in content.items() if value not in _EMPTY}
        self._draft = draft
        self.path = path

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def names(self) -> list[str]:
        """The names of the fields that are not taken yet."""
        return list(self._left)

    def any(self, name: str) -> Any:
        """Take a field of any kind; None if it is left out."""
        return self._left.pop(name, None)

    def text(self, name: str) -> str:
        """Take a text; a number counts as one. Empty if it is left out, or something else, which is noted."""
        value = self._left.pop(name, None)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        return value if isinstance(value, str) else self._wrong(name, value, "text", "")

    def number(self, name: str) -> int | None:
        """Take a whole number, also one written as text; None if it is left out, or something else, which is noted."""
        value = self._left.pop(name, None)
        if isinstance(value, str) and value.strip().lstrip("-").isascii() and len(value) < 19:
            if value.strip().removeprefix("-").isdigit():
                return int(value)
        if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
            return int(value)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
            return value
        self._wrong(name, value, "a whole number", None)
        return None

    def flag(self, name: str) -> bool | None:
        """Take true or false, also as 0 and 1 or as text; None if it is left out, or something else, which is noted."""
        value = self._left.pop(name, None)
        known = {"true": True, "1": True, "t": True, "false": False, "0": False, "f": False}
        found = known.get(str(value).lower()) if isinstance(value, bool | int | str) else None
        if found is None:
            self._wrong(name, value, "true or false", None)
        return found

    def object(self, name: str, *, path: str | None = None) -> "Fields":
        """Take an object; one without fields if it is left out, or something else, which is noted. path: a shorter way to say it."""
        value = self._left.pop(name, None)
        found = value if isinstance(value, Mapping) else self._wrong(name, value, "an object", {})
        return Fields(found, self._draft, f"{self.path}{name}." if path is None else path)

    def objects(self, name: str) -> list["Fields"]:
        """Take a list of objects; other entries are noted."""
        found = []
        for each in self.items(name):
            if isinstance(each, Mapping):
                found.append(Fields(each, self._draft, f"{self.path}{name}[]."))
            else:
                self._wrong(f"{name}[]", each, "an object", None)
        return found

    def items(self, name: str) -> list[Any]:
        """Take a list; empty if it is left out, or something else, which is noted."""
        value = self._left.pop(name, None)
        return value if isinstance(value, list) else self._wrong(name, value, "a list", [])

    def texts(self, name: str) -> list[str]:
        """Take a list of texts; other entries are noted."""
        found = []
        for each in self.items(name):
            if isinstance(each, str):
                found.append(each)
            else:
                self._wrong(f"{name}[]", each, "text", None)
        return found

    def pairs(self, name: str) -> dict[str, str]:
        """Take an object of names and texts; numbers count as texts, other values are noted."""
        inner = self.object(name)
        return {key: value for key in list(inner._left) if (value := inner.text(key))}  # noqa: SLF001 - of this class

    def instant(self, name: str, read: Any) -> datetime | None:
        """Take an instant by a function that raises ValueError; None if it is left out, or unreadable, which is noted."""
        value = self._left.pop(name, None)
        if value is None:
            return None
        try:
            found: datetime = read(value)
        except (ValueError, TypeError, OverflowError, OSError):
            self._draft.unread(f"{self.path}{name}", f"{value!r:.60} is not an instant")
            return None
        return found

    def end(self) -> None:
        """Note the fields that nobody took: by their rule, if one says what becomes of them, else as unknown."""
        for name, value in sorted(self._left.items()):
            full = f"{self.path}{name}"
            rule = self._draft.rules.untouched(full)
            if rule is None:
                self._draft.unknown(full)
            elif rule.default is None or value != rule.default:
                self._draft.found(rule)
        self._left = {}

    def forget(self) -> None:
        """Take all that is left, without a remark."""
        self._left = {}

    def _wrong(self, name: str, value: Any, wanted: str, instead: Any) -> Any:
        if value is not None:
            kind = _KINDS.get(type(value), "something else")
            self._draft.unread(f"{self.path}{name}", f"it is {kind}, not {wanted}, so it is left out")
        return instead
