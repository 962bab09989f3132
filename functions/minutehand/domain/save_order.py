"""The order in which jobs are saved: parents before the jobs that depend on them. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, TypeVar

K = TypeVar("K")


class SaveOrder(NamedTuple):
    """Places of jobs: those in `sorted`, each after its parents, and those of a circle of dependencies, or behind one."""

    sorted: Sequence[int]
    circular: Sequence[int]


def save_order(keys: Sequence[K], parents: Mapping[K, Collection[K]]) -> SaveOrder:
    """Sort jobs, otherwise in the order given. Parents that are not among the jobs do not count; of equal keys, only the first does."""
    place: dict[K, int] = {}
    for n, key in enumerate(keys):
        place.setdefault(key, n)
    children: dict[int, list[int]] = defaultdict(list)
    waits_for: dict[int, int] = {}
    for key, n in place.items():
        above = {place[parent] for parent in parents.get(key, ()) if parent in place and parent != key}
        waits_for[n] = len(above)
        for parent in above:
            children[parent].append(n)
    ready = [n for n in place.values() if not waits_for[n]]
    for n in ready:  # it grows
        for child in children[n]:
            waits_for[child] -= 1
            if not waits_for[child]:
                ready.append(child)
    return SaveOrder(ready, [n for n in place.values() if waits_for[n]])
