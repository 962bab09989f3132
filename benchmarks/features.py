"""What each feature costs: measured on each server, beside the arithmetic by hand that the documentation rests on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from benchmarks import asked, changes, doings
from benchmarks.asked import BACKFILLED, TRIMMED
from benchmarks.charts.chart import Chart
from benchmarks.metered import LOCAL, MINISTACK, Scenes
from benchmarks.noted import noted, of_the_runs
from benchmarks.play import Play
from benchmarks.table import Cell, Table, within
from minutehand.adapters.dynamodb.codecs import run_codec
from minutehand.adapters.dynamodb.codecs.sizes import item_size

_ATTEMPTS = (1, 2, 5, 10, 20)
_CHART = Chart(
    name="attempts",
    kind="lines",
    over=("attempts",),
    values=("written",),
    x="attempts of the run",
    y="write units of the run",
)

Doing = Callable[[Play], None]


class Feature(NamedTuple):
    """Something that a job may use.

    Attributes:
        units: write units by hand, `because` of this.
        beside: what it is compared with: the figures are what is added to that; None for all that it takes.
        less, times: the figures are of the writes less so many, divided by so many.
    """

    what: str
    doing: Doing
    units: float
    because: str
    beside: Doing | None = doings.plain
    less: float = 0
    times: int = 1


class Used(NamedTuple):
    """What a scenario used; `refused` of the calls failed, as they may, and their units are told by no server."""

    writes: float = 0
    reads: float = 0
    calls: float = 0
    refused: float = 0


IN_ALL = None
RUNS = (
    Feature("a plain run", doings.plain, 7, "claim 2, advance 3, start 1, report 1", IN_ALL),
    Feature("policies that do not come to bear", doings.unused, 0, "nothing"),
    Feature("`record_units`", doings.notes, 0, "it is noted in the writes that are made anyway"),
    Feature("a run that fails, is lost or timed out", doings.fails, 1, "entry in `attention` 1"),
    Feature("an answer of more than 256 bytes", doings.long_answer, 1, "the output's item: 1 for each KB"),
    Feature("an answer of more than 4 KB", doings.longer_answer, 5, "its last 4 KB 5; and one S3 PUT"),
    Feature("a retry, after no answer", doings.retried, 2, "report as `retrying` 1, start 1"),
    Feature("a retry, after an answer", doings.retried_after_an_answer, 3, "the same, and the answer's item 1"),
    Feature("a retry more than 13 minutes later", doings.retried_much_later, 6, "report 1, deadline 2, its removal 2, start 1"),
    Feature("a retry under a lock or a slot", doings.retried_under_a_lock, 5, "report 1, start 2 and lock 2 in a transaction", doings.locked),
    Feature("a start more than 13 minutes after its claim (`jitter`)", doings.starts_late, 4, "deadline 2, its removal 2"),
    Feature("a take-over from a dead worker", doings.taken_over, 1, "start 1"),
    Feature("`overlap` other than `allow`, or `@after`'s", doings.locked, 3, "start 2 and lock 2 in a transaction, instead of start 1"),
    Feature("… and it waits for another", doings.queues, 1, "its name in the lock 1", doings.two_apart),
    Feature("… and it replaces another", doings.replaces, 2, "its name in the lock 1, mark on the other 1", doings.two_apart),
    Feature("a run skipped for another", doings.skips, 6, "claim 2, advance 3, skip 1", doings.locked),
    Feature("`max_concurrency`, of the job or its namespace", doings.limited, 3, "start 2 and slot 2 in a transaction, instead of start 1"),
    Feature("… besides the lock, or both", doings.limited_and_locked, 2, "one more permit in the transaction 2", doings.locked),
    Feature("… and each look while no slot is free", doings.looks_again, 1, "the time of the next look 1", doings.two_limited_apart),
    Feature("a run skipped for a pause of the namespace", doings.in_a_pause, 6, "claim 2, advance 3, skip 1", IN_ALL),
    Feature("fixed delay (`@after`)", doings.delayed, 6, "the timer's next instant 3; the lock as above 3"),
    Feature("`max_runs`", doings.counted, 7, "claim 3, advance 4 and deadline 3 in a transaction, its removal 2, instead of 5"),
    Feature("answered later", asked.answered_later, 7, "`waiting` 1; report 2 and deadline 3 in a transaction, its removal 2, instead of 1"),
    Feature("… within more than 13 minutes", asked.answered_much_later, 10, "the same; the deadline beforehand 2, and 1 more to move it"),
    Feature("a heartbeat, or progress", asked.heard_of, 1, "the run 1", IN_ALL),
    Feature("cancelled before its start", asked.cancelled_early, 5, "end 2 and deadline 3 in a transaction, its removal 2, instead of start and report"),
    Feature("cancelled under way", asked.cancelled_under_way, 1, "mark on the run 1"),
    Feature("a trigger's run", asked.triggered, 12, "run 3, key 2 and deadline 3 in a transaction, its removal 2, start 1, report 1", IN_ALL),
    Feature("… with a payload of its own", asked.triggered_with_payload, 2, "the payload: 2 for each KB", asked.triggered),
    Feature("a child's run", asked.followed, 4, "claim 2, start 1, report 1; its parents' runs pay nothing"),
    Feature("a backfilled run", asked.backfilled, 6, "claim 2, start 1, report 1, the backfill's step 2; a backfill besides 4", IN_ALL, 4, BACKFILLED),
    Feature("a skipped stretch, however long", doings.missed, 11, "record 2, advance 4 and recheck 3 in a transaction, its removal 2", IN_ALL),
    Feature("an old run removed for `retention_count`", asked.trimmed, 2, "the run 1, its entry in `by_time` 1; by age it is free", IN_ALL, 0, TRIMMED),
)  # fmt: skip
CHANGES = (
    Feature("a new job, in a new namespace", changes.created, 10, "definition 2, timer 3, list 2, history 2; namespace 1", IN_ALL),
    Feature("an edit that names the same instants", changes.edited, 9, "definition 2, timer 3, list 2, history 2", IN_ALL),
    Feature("an edit of the schedule", changes.rescheduled, 15, "definition 2, timer 4, list 2, history 2, recheck 3, its removal 2", IN_ALL),
    Feature("a pause", changes.paused, 14, "definition 2, timer 3, list 2, history 2, recheck 3, its removal 2", IN_ALL),
    Feature("resumed", changes.resumed, 14, "the same", IN_ALL),
    Feature("a deletion", changes.deleted, 14, "the same", IN_ALL),
)  # fmt: skip


def tables(scenes: Scenes, absent: Sequence[str]) -> list[Table]:
    """Measure, and tell."""
    return [
        _told(
            "What each feature costs",
            RUNS,
            scenes,
            (
                (
                    "What is beside a run's own 7 is added to them; what makes a run of its own is told in all: `a plain run`, a heartbeat, a run that is "
                    "skipped, triggered, started by a parent or backfilled, a skipped stretch, a removed run."
                ),
                *absent,
            ),
        ),
        _told("What a change of a job costs", CHANGES, scenes, tuple(absent)),
        _attempts(scenes),
        noted(scenes),
    ]


def _told(title: str, features: Sequence[Feature], scenes: Scenes, notes: tuple[str, ...]) -> Table:
    known: dict[tuple[Doing, str], Used] = {}
    rows: list[tuple[Cell, ...]] = []
    holds = True
    for feature in features:
        found = {server: _added(feature, scenes, server, known) for server in scenes.servers}
        here, local = found[MINISTACK], found.get(LOCAL)
        holds &= within(abs(here.writes - feature.units), 0)
        rows.append(
            (
                feature.what,
                feature.because,
                feature.units,
                here.writes,
                local.writes if local else None,
                here.reads,
                here.calls,
                here.refused,
            )
        )
    return Table(
        title=title,
        goal="written is what the arithmetic says, by MiniStack's counting",
        holds=holds,
        columns=("what", "arithmetic", "write units", "MiniStack", "DynamoDB Local", "read units", "calls", "refused"),
        rows=tuple(rows),
        notes=(
            (
                "By hand: one unit a KB for each write, two in a transaction; one for each entry of an index that is made, changed or removed, in a "
                "transaction too. MiniStack counts so, and says of its figures that they were measured on AWS; DynamoDB Local doubles the entries "
                "too, and leaves some writes of transactions out. Where nothing is in a transaction they agree."
            ),
            "The tick's own row and its look at the index are left out (see the idle stack), and so are the calls by which Lambda fetches and deletes messages.",
            (
                "A refused call is a condition that did not hold: AWS bills it a unit a KB of the item, which no server here tells, so that it "
                "is in none of the figures."
            ),
            *notes,
        ),
    )


def _added(feature: Feature, scenes: Scenes, server: str, known: dict[tuple[Doing, str], Used]) -> Used:
    used = _used(feature.doing, scenes, server, known)
    without = Used() if feature.beside is None else _used(feature.beside, scenes, server, known)
    writes, *others = (mine - theirs for mine, theirs in zip(used, without, strict=True))
    return Used((writes - feature.less) / feature.times, *(one / feature.times for one in others))


def _used(doing: Doing, scenes: Scenes, server: str, known: dict[tuple[Doing, str], Used]) -> Used:
    if (doing, server) not in known:
        metered = scenes.make([], server)
        doing(Play(metered))
        usage, refused = metered.meter.take(), len(metered.meter.failures)
        usage = of_the_runs(usage)
        known[doing, server] = Used(sum(usage.writes.values()), sum(usage.reads.values()), usage.calls.total(), refused)
    return known[doing, server]


def _attempts(scenes: Scenes) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for attempts in _ATTEMPTS:
        metered = scenes.make([], MINISTACK)
        play = Play(metered)
        key = doings.tried(play, attempts)
        usage = metered.take()
        size = item_size(run_codec.encode(play.run(key)))
        rows.append((attempts, sum(of_the_runs(usage).writes.values()), size))
    return Table(
        title="Write units of a run with earlier attempts on its record",
        columns=("attempts", "written", "bytes of the record at its end"),
        chart=_CHART,
        rows=tuple(rows),
        notes=("No attempt but the last is answered. A record beyond 1 KB costs a unit more at each write.",),
    )
