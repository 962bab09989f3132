"""Fields of a part's text with their columns, so that a warning can point into it."""

import re
from typing import NamedTuple

from minutehand.schedule.eventbridge import CALL
from minutehand.schedule.fields import CALL_FIELDS, CRONTAB_FIELDS, FieldKind
from minutehand.schedule.words import split_words

# Maximum characters of a field that a hint repeats.
_LONGEST_SHOWN = 24
_PREFIX = re.compile(r"(?:CRON_TZ|TZ)=")


class SourceField(NamedTuple):
    """Text of a crontab field. column: 0-based column of its start."""

    kind: FieldKind
    text: str
    column: int

    def items(self) -> list[tuple[str, int]]:
        """Items of the field's list with their columns."""
        found, column = [], self.column
        for item in self.text.split(","):
            found.append((item, column))
            column += len(item) + 1
        return found


class SourceText(NamedTuple):
    """Text of one part, with columns.

    start: column at which the schedule begins, after a prefix such as CRON_TZ=. zone: column of the prefix's zone, if there is one.
    fields: crontab fields by name; empty for other kinds of text. call: whether the text is cron(…), rate(…) or at(…).
    """

    start: int
    zone: int | None
    fields: dict[str, SourceField]
    call: bool = False

    def column(self, field: str) -> int:
        """Column of a field, or of the schedule if the text has no fields."""
        return self.fields[field].column if field in self.fields else self.start

    def rewritten(self, **changed: str) -> str:
        """Crontab with some fields replaced (`day_of_month="*"`), without its prefix; an ellipsis replaces long fields."""
        texts = {name: one.text if len(one.text) <= _LONGEST_SHOWN else "…" for name, one in self.fields.items()}
        words = [changed.get(name.replace("-", "_"), text) for name, text in texts.items()]
        return f"cron({' '.join(words)})" if self.call else " ".join(words)


def source_text(text: str) -> SourceText:
    """Split a text that has already been parsed."""
    words = split_words(text)
    prefix = _PREFIX.match(words[0].text)
    zone = words[0].column + prefix.end() if prefix else None
    words = words[1:] if prefix else words
    start = words[0].column
    call = CALL.match(text, start)
    kinds: tuple[FieldKind, ...] = ()
    if call is None and not words[0].text.startswith("@"):
        kinds = CRONTAB_FIELDS[-len(words) :]
    elif call is not None and call[1] == "cron":
        kinds, words = CALL_FIELDS, split_words(text, call.end(), text.index(")", start))
    fields = {kind.name: SourceField(kind, word.text, word.column) for kind, word in zip(kinds, words, strict=False)}
    return SourceText(start, zone, fields, call=call is not None)
