"""The question `dispatch`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from statistics import median
from typing import TypeVar

from benchmarks import databases, emulators
from benchmarks.dispatch.contenders import Contender, Kind, baseline, play_rounds
from benchmarks.dispatch.minutehand import Dispatcher
from benchmarks.emulators import DYNAMODB_LOCAL, MINISTACK
from benchmarks.table import Table, missing, within

LOADS = {2_000: 7, 20_000: 5}
"""Rounds by number of jobs due at once: short rounds vary more."""
BEAT_SECONDS = 5
GOALS = {Kind.BARE: 1.3, Kind.APSCHEDULER: 0.8, Kind.CELERY: 0.2}
"""Minutehand's processor time as a multiple of each baseline's, at most."""
_SHARE = "Minutehand / this"
NOTES = (
    (
        "The ratios compare time per occurrence: to bare boto3 with the same server, "
        "to other schedulers with Minutehand's slower server."
    ),
    (
        "Bare boto3 sends the same tick's recorded requests: the queries of the due index and the buckets, then the INSERT of "
        "each entry, INSERTs of runs in batches of 25, messages in batches of 10, UPDATEs in batches of 25, with as many concurrent calls. The queue is MiniStack's."
    ),
    (
        "APScheduler is one turn of its loop, with jobs in PostgreSQL through SQLAlchemy and psycopg, and default settings but for "
        "the misfire grace, which is lifted: the default skips a job that is more than a second late. Its thread pool calls a function that does nothing; "
        "then it updates each row in a transaction of its own."
    ),
    (
        "Celery's beat has its default scheduler, which keeps entries in a file, and sends to Redis. Each turn sends one entry and compares all "
        "entries, so an occurrence costs more the more entries there are. "
        f"A round ends after {BEAT_SECONDS} s; the occurrences sent by then count. The write of its file every three minutes is left out."
    ),
)

T = TypeVar("T")


def tables(loads: Mapping[int, int] = LOADS) -> list[Table]:
    """All tables of the question."""
    played: list[Contender] = []
    absent: dict[str, str] = {}
    with ExitStack() as running:
        ministack = running.enter_context(emulators.ministack())
        aws = {MINISTACK: ministack}
        if local := _started(running, DYNAMODB_LOCAL, emulators.dynamodb_local(), absent):
            aws[DYNAMODB_LOCAL] = local
        servers = {
            "PostgreSQL": _started(running, "PostgreSQL", databases.postgres(), absent),
            "Redis": _started(running, "Redis", databases.redis(), absent),
        }
        for url in aws.values():
            Dispatcher(url, ministack, load=25).tick()  # warms imports and caches
        for load, rounds in loads.items():
            played += _played(load, rounds, aws, servers, absent)
    return [_table(played, absent)]


def _started(running: ExitStack, name: str, program: AbstractContextManager[T], absent: dict[str, str]) -> T | None:
    """A started program; None, with the reason in `absent`, where it fails."""
    try:
        return running.enter_context(program)
    except (emulators.AbsentError, RuntimeError, OSError, AssertionError) as error:
        absent[name] = str(error)
        return None


def _played(
    load: int,
    rounds: int,
    aws: Mapping[str, str],
    servers: Mapping[str, databases.Server | None],
    absent: dict[str, str],
) -> list[Contender]:
    """All contenders with so many jobs.

    Raises:
        RuntimeError: when Minutehand fails.
    """
    dispatchers = {name: Dispatcher(url, aws[MINISTACK], load=load) for name, url in aws.items()}
    contenders: list[Contender] = []
    for name, one in dispatchers.items():
        contenders.append(Contender(kind=Kind.MINUTEHAND, server=name, load=load, play=one.tick))
        contenders.append(Contender(kind=Kind.BARE, server=name, load=load, play=one.bare))
    programs = (
        (Kind.APSCHEDULER, "PostgreSQL", "apscheduler_baseline", [str(load)]),
        (Kind.CELERY, "Redis", "celery_baseline", [str(load), str(BEAT_SECONDS)]),
    )
    with ExitStack() as running:
        for kind, name, module, arguments in programs:
            server = servers[name]
            if server and (
                play := _started(running, kind.value, baseline(module, *arguments, server=server.url), absent)
            ):
                contenders.append(Contender(kind=kind, server=name, load=load, play=play))
        play_rounds(contenders, rounds=rounds)
    for one in dispatchers.values():
        one.clear()
    if failures := [
        f"{one.server}: {one.failure}" for one in contenders if one.failure and one.kind is Kind.MINUTEHAND
    ]:
        raise RuntimeError("; ".join(failures))
    return contenders


def _table(played: Sequence[Contender], absent: Mapping[str, str]) -> Table:
    complete = [one for one in played if one.rounds]
    shares = [(one, _share(one, complete)) for one in complete]
    met = all(within(share, GOALS[one.kind]) for one, share in shares if share is not None)
    missed = {(kind, one.load) for kind in GOALS for one in played} - {(one.kind, one.load) for one in complete}
    return Table(
        title="Processor time and pace of dispatch",
        goal="processor time per occurrence at most "
        + ", ".join(f"{most} times that of {kind.value}" for kind, most in GOALS.items()),
        holds=False if not met else None if missed else True,
        columns=(
            "due at once",
            "scheduler",
            "with",
            "rounds",
            "sent in each",
            "calls",
            "µs per occurrence",
            "occurrences/s",
            _SHARE,
            "at most",
        ),
        rows=tuple(
            (
                one.load,
                one.kind.value,
                one.server,
                len(one.rounds),
                round(median(done.sent for done in one.rounds)),
                one.rounds[-1].calls,
                median(one.costs) * 1e6,
                one.rate,
                share,
                GOALS.get(one.kind),
            )
            for one, share in shares
        ),
        notes=(
            *NOTES,
            *(missing(f"{name}: {reason}") for name, reason in absent.items()),
            *(
                missing(f"{one.kind.value} with {one.server}, {one.load:,} due at once: {one.failure}")
                for one in played
                if one.failure
            ),
        ),
    )


def _share(baseline: Contender, complete: Sequence[Contender]) -> float | None:
    """Minutehand's processor time as a multiple of a baseline's; None for Minutehand itself."""
    if baseline.kind not in GOALS:
        return None
    ours = [one for one in complete if one.kind is Kind.MINUTEHAND and one.load == baseline.load]
    if baseline.kind is Kind.BARE:
        ours = [one for one in ours if one.server == baseline.server]
    return max((one.relative_to(baseline) for one in ours), default=None)
