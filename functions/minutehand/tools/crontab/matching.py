"""Which job a line of a crontab is: the one that it was at the last import, or a new one under a free name."""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from minutehand.tools.crontab.labels import digest

_SHORT = 6


class Wanted(NamedTuple):
    """A line: `line` is its `line_id`, `base` the name it would like."""

    source: str
    line: str
    base: str
    schedule: str
    timezone: str


class Present(NamedTuple):
    """A job that came from one of these crontabs."""

    name: str
    source: str
    line: str
    schedule: str
    timezone: str


class Matching(NamedTuple):
    """`names`: of each line's job, in order. `gone`: the jobs whose lines are no longer there."""

    names: list[str]
    gone: list[Present]


def match(wanted: Sequence[Wanted], present: Sequence[Present], taken: Collection[str], *, reuse: bool) -> Matching:
    """Give each line the job that it already is, and the others names that are free.

    A line is the same line as long as it runs the same; of several, that which also comes at the same times. taken: every name of
    the namespace. reuse: whether a new line may take over a job that is gone, where the name is the same, as after an edit of
    the command; else that job stays, and the new one's name gets a hash.
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
    """Name the lines that are still without a name after the jobs that are the same; answers the jobs that are left."""
    jobs: dict[tuple[str, ...], deque[Present]] = {}
    for job in present:
        jobs.setdefault(same(job), deque()).append(job)
    for place, line in enumerate(wanted):
        if place not in names and jobs.get(same(line)):
            names[place] = jobs[same(line)].popleft().name
    return sorted(job for those in jobs.values() for job in those)


def _names(line: Wanted, *, plain: bool) -> Iterable[str]:
    """The names to try: the plain one, then with a hash of what runs, then also of when."""
    if plain:
        yield line.base
    yield _hashed(line, line.source, line.line)
    count = 0
    while True:
        yield _hashed(line, line.source, line.line, line.schedule, line.timezone, str(count))
        count += 1


def _hashed(line: Wanted, *parts: str) -> str:
    return f"{line.base}-{digest(*parts)[:_SHORT]}"
