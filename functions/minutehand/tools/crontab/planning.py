"""Import plans: documents to save, and jobs whose lines are gone. A line keeps the job of the last import, or gets a new one with a
free name."""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from operator import attrgetter
from typing import Any, NamedTuple

from minutehand.tools.crontab.commands import schedule_of
from minutehand.tools.crontab.documents import LINE, SOURCE, digest, document_of, line_id_of
from minutehand.tools.crontab.naming import name_of
from minutehand.tools.crontab.reading import Line

_SHORT = 6  # hex digits of the hash in a name


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A line of a crontab with its place, source, time zone and user."""

    place: str
    source: str
    line: Line
    timezone: str
    user: str | None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What an import does. `documents`: the job of each line, in order. `gone`: names of jobs whose line is gone."""

    documents: Sequence[dict[str, Any]]
    gone: Sequence[str]


class Wanted(NamedTuple):
    """A crontab line that needs a job: `line` is its `line_id_of`, `base` the preferred name of the job."""

    source: str
    line: str
    base: str
    schedule: str
    timezone: str


class Present(NamedTuple):
    """An existing job that was imported from these crontabs; `line` is the `line_id_of` its line."""

    name: str
    source: str
    line: str
    schedule: str
    timezone: str


class Matching(NamedTuple):
    """`names`: the name of the job of each line, in order. `gone`: existing jobs whose line is gone."""

    names: list[str]
    gone: list[Present]


def plan_import(
    lines: Sequence[Placed],
    jobs: Sequence[Mapping[str, Any]],
    *,
    ours: Sequence[Mapping[str, Any]],
    template: dict[str, Any],
    namespace: str,
    reuse: bool,
) -> Plan:
    """Match the lines with the namespace's jobs, of which `ours` came from the same crontabs (see `match`).

    Raises TemplateFault.
    """
    wanted = [
        Wanted(
            source=each.source,
            line=line_id_of(each.line, each.user),
            base=name_of(each.line.entry.command),
            schedule=schedule_of(each.line.entry),
            timezone=each.timezone,
        )
        for each in lines
    ]
    present = [
        Present(
            name=job["name"],
            source=job["labels"][SOURCE],
            line=job["labels"].get(LINE, ""),
            schedule=str(job.get("schedule", "")),
            timezone=str(job.get("timezone", "")),
        )
        for job in ours
    ]
    matching = match(wanted, present, {job["name"] for job in jobs}, reuse=reuse)
    documents = [
        document_of(
            each.line,
            name=name,
            source=each.source,
            namespace=namespace,
            timezone=each.timezone,
            user=each.user,
            template=template,
        )
        for each, name in zip(lines, matching.names, strict=True)
    ]
    return Plan(documents=documents, gone=[job.name for job in matching.gone])


def match(wanted: Sequence[Wanted], present: Sequence[Present], taken: Collection[str], *, reuse: bool) -> Matching:
    """Match each line with its existing job, and give the others free names.

    A line keeps its job while its command stays the same. If several lines have that command, the schedule decides.

    taken: every name of the namespace. reuse: whether a new line may take over a job whose line is gone, if the name is the same,
    as after an edit of the command. If not, that job stays, and the name of the new job gets a hash.
    """
    names: dict[int, str] = {}
    left = sorted(present)
    for same in (attrgetter("source", "line", "schedule", "timezone"), attrgetter("source", "line")):
        left = _pair(wanted, left, names, same)
    free = {job.name for job in left} if reuse else set()
    used = (set(taken) - free) | set(names.values())
    fresh = {place: line for place, line in enumerate(wanted) if place not in names}
    often = Counter(line.base for line in fresh.values())
    for place, line in fresh.items():
        names[place] = next(name for name in _names(line, plain=often[line.base] == 1) if name not in used)
        used.add(names[place])
    kept = set(names.values())
    return Matching([names[place] for place in range(len(wanted))], [job for job in left if job.name not in kept])


def _pair(
    wanted: Sequence[Wanted],
    present: Sequence[Present],
    names: dict[int, str],
    same: Callable[[Wanted | Present], tuple[str, ...]],
) -> list[Present]:
    """Give each line that has no name yet the name of a job with an equal key `same`; returns the jobs left over."""
    jobs: dict[tuple[str, ...], deque[Present]] = {}
    for job in present:
        jobs.setdefault(same(job), deque()).append(job)
    for place, line in enumerate(wanted):
        if place not in names and jobs.get(same(line)):
            names[place] = jobs[same(line)].popleft().name
    return sorted(job for those in jobs.values() for job in those)


def _names(line: Wanted, *, plain: bool) -> Iterator[str]:
    """Candidate names for a line's job: the plain one, then with a hash of the command, then with one of command and schedule."""
    if plain:
        yield line.base
    yield f"{line.base}-{digest(line.source, line.line)[:_SHORT]}"
    for number in count():
        yield f"{line.base}-{digest(line.source, line.line, line.schedule, line.timezone, str(number))[:_SHORT]}"
