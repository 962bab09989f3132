"""Conditional updates of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from minutehand.adapters.dynamodb.codecs import run_codec
from minutehand.adapters.stored_runs import FENCE, as_stored
from minutehand.domain.run import Run
from minutehand.domain.transitions import check

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem


class RunUpdate(NamedTuple):
    """An update of a run, and its condition."""

    before: Run
    after: Run
    old: Item
    new: Item
    changed: Sequence[str]

    @classmethod
    def of(cls, before: Run, after: Run) -> RunUpdate:
        """The update from `before` to `after`; raises IllegalMove for a transition that does not exist."""
        check(before, after)
        after = as_stored(after)
        old, new = run_codec.encode(before), run_codec.encode(after)
        return cls(before, after, old, new, [name for name in {**old, **new} if old.get(name) != new.get(name)])

    @property
    def compared(self) -> Sequence[str]:
        """The attributes that must be as they were read."""
        return list(dict.fromkeys((*FENCE, *self.changed)))

    def request(self) -> dict[str, Any]:
        """The arguments of UpdateItem."""
        return {
            "Key": run_codec.key(self.before.key),
            "UpdateExpression": _update(self.changed, self.new),
            "ConditionExpression": " AND ".join(
                f"#{name} = :old_{name}" if name in self.old else f"attribute_not_exists(#{name})"
                for name in self.compared
            ),
            "ExpressionAttributeNames": {f"#{name}": name for name in self.compared},
            "ExpressionAttributeValues": {
                **{f":old_{name}": self.old[name] for name in self.compared if name in self.old},
                **{f":{name}": self.new[name] for name in self.changed if name in self.new},
            },
        }

    def is_made(self, found: ReadItem) -> bool:
        """Whether an item is as the update leaves it: an earlier try of this call has succeeded."""
        return all(found.get(name) == self.new.get(name) for name in self.compared)


def _update(changed: Sequence[str], new: Item) -> str:
    sets = ", ".join(f"#{name} = :{name}" for name in changed if name in new)
    removes = ", ".join(f"#{name}" for name in changed if name not in new)
    return " ".join(f"{verb} {clauses}" for verb, clauses in (("SET", sets), ("REMOVE", removes)) if clauses)
