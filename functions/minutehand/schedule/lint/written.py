"""A part's text, taken apart again so that a warning can point into it."""

import re
from typing import NamedTuple

from minutehand.schedule.calls import CALL
from minutehand.schedule.fields import CALL_FIELDS, CRONTAB_FIELDS, FieldKind
from minutehand.schedule.words import Word, words_of

LONGEST_SHOWN = 24
"""Characters of a field that a hint repeats."""

_PREFIX = re.compile(r"(?:CRON_TZ|TZ)=")


class WrittenField(NamedTuple):
    """A field of a crontab as it is written, with the column at which it starts."""

    kind: FieldKind
    text: str
    column: int

    def items(self) -> list[tuple[str, int]]:
        """The items of its list, each with its column."""
        found, column = [], self.column
        for item in self.text.split(","):
            found.append((item, column))
            column += len(item) + 1
        return found


class Written(NamedTuple):
    """start: the column at which the schedule itself begins. zone: the column of the zone in a prefix, None without one.
    fields: those of a crontab, by name; empty for every other kind of text. call: whether they stand in cron(…).
    """

    start: int
    zone: int | None
    fields: dict[str, WrittenField]
    call: bool = False

    def column(self, field: str) -> int:
        """Where this field starts, or the schedule, if it is not written in fields."""
        return self.fields[field].column if field in self.fields else self.start

    def spelled(self, **changed: str) -> str:
        """The crontab with some fields written otherwise (`day_of_month="*"`), without its prefix; long fields as an ellipsis."""
        texts = {name: one.text if len(one.text) <= LONGEST_SHOWN else "…" for name, one in self.fields.items()}
        words = [changed.get(name.replace("-", "_"), text) for name, text in texts.items()]
        return f"cron({' '.join(words)})" if self.call else " ".join(words)


def written(text: str) -> Written:
    """Take apart a text that has been read before."""
    words = words_of(text)
    prefix = _PREFIX.match(words[0].text)
    zone = words[0].column + prefix.end() if prefix else None
    words = words[1:] if prefix else words
    start = words[0].column
    called = CALL.match(text, start)
    if called is None:
        kinds = () if words[0].text.startswith("@") else CRONTAB_FIELDS[-len(words) :]
        return Written(start, zone, _fields(kinds, words))
    kinds = CALL_FIELDS if called[1] == "cron" else ()
    return Written(start, zone, _fields(kinds, words_of(text, called.end(), text.index(")", start))), call=True)


def _fields(kinds: tuple[FieldKind, ...], words: list[Word]) -> dict[str, WrittenField]:
    return {kind.name: WrittenField(kind, word.text, word.column) for kind, word in zip(kinds, words, strict=False)}
