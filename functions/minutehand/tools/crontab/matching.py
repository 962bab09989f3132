"""Matching of crontab lines with jobs: the job of the last import, or a new one with a free name."""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from minutehand.tools.crontab.labels import digest

_SHORT = 6


class Wanted(NamedTuple):
    """A line to match: `line` is its `line_id`, `base` its preferred name."""

    source: str
    line: str
    base: str
    schedule: str
    timezone: str


class Present(NamedTuple):
    """An existing job from these crontabs."""

    name: str
    source: str
    line: str
    schedule: str
    timezone: str


class Matching(NamedTuple):
    """`names`: the job of each line, in order. `gone`: jobs without a line."""

    names: list[str]
    gone: list[Present]


def match(wanted: Sequence[Wanted], present: Sequence[Present], taken: Collection[str], *, reuse: bool) -> Matching:
    """Match each line with its existing job, and give the others free names.

    A line keeps its job while it runs the same command; of several such lines, the one with the same schedule does.

    taken: every name of the namespace. reuse: whether a new line may take over a job that is gone, where the name is the same,
    as after an edit of the command; else that job stays, and the new one's name gets a hash.
    """
    names: dict[int, str] = {}
    left = sorted(present)
    for same in (_same_line_and_times, _same_line):
        left = _pair(wanted, left, names, same)
    free = {job.name for job in left} if reuse else set()
    used = (set(taken) - free) | set(names.values())
    fresh = [place for place in range(len(wanted)) if place not in names]
    often = Counter(wanted[place].base for place in fresh)
    for place in fresh:
        line = wanted[place]
        alone = often[line.base] == 1
        names[place] = next(name for name in _names(line, plain=alone) if name not in used)
        used.add(names[place])
    kept = set(names.values())
    return Matching([names[place] for place in range(len(wanted))], [job for job in left if job.name not in kept])


def _same_line_and_times(one: Wanted | Present) -> tuple[str, ...]:
    return one.source, one.line, one.schedule, one.timezone


def _same_line(one: Wanted | Present) -> tuple[str, ...]:
    return one.source, one.line


def _pair(
    wanted: Sequence[Wanted],
    present: Sequence[Present],
    names: dict[int, str],
    same: Callable[[Wanted | Present], tuple[str, ...]],
) -> list[Present]:
    """Match unnamed lines with equal jobs; returns the remaining jobs."""
    jobs: dict[tuple[str, ...], deque[Present]] = {}
    for job in present:
        jobs.setdefault(same(job), deque()).append(job)
    for place, line in enumerate(wanted):
        if place not in names and jobs.get(same(line)):
            names[place] = jobs[same(line)].popleft().name
    return sorted(job for those in jobs.values() for job in those)


def _names(line: Wanted, *, plain: bool) -> Iterable[str]:
    """Candidate names: plain, with a hash of the command, with a hash of command and schedule."""
    if plain:
        yield line.base
    yield _hashed(line, line.source, line.line)
    count = 0
    while True:
        yield _hashed(line, line.source, line.line, line.schedule, line.timezone, str(count))
        count += 1


def _hashed(line: Wanted, *parts: str) -> str:
    return f"{line.base}-{digest(*parts)[:_SHORT]}"
