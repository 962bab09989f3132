"""Usage of each feature, measured on each emulator and compared with the arithmetic in docs/reference/costs.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from benchmarks.cost import request_scenarios as requests
from benchmarks.cost import run_scenarios as runs
from benchmarks.cost.metered_stack import Emulators, running
from benchmarks.cost.scenario import Scenario
from benchmarks.emulators import DYNAMODB_LOCAL, MINISTACK
from benchmarks.table import Cell, Table, within
from minutehand.adapters.dynamodb.calls.metering import item_size
from minutehand.adapters.dynamodb.codecs import run_codec

_ATTEMPTS = (1, 2, 5, 10, 20)

Play = Callable[[Scenario], None]


class Feature(NamedTuple):
    """A feature of a job, or a change of one.

    Attributes:
        units: write units by the arithmetic, for the reason `because`.
        baseline: the scenario without the feature, whose usage is subtracted; None where there is none.
        less, times: from the measured writes `less` is subtracted, and the rest divided by `times`.
    """

    what: str
    play: Play
    units: float
    because: str
    baseline: Play | None = runs.plain
    less: float = 0
    times: int = 1


class Used(NamedTuple):
    """The usage of a scenario. No emulator reports units of refused calls."""

    writes: float = 0
    reads: float = 0
    calls: float = 0
    refused: float = 0


RUNS = (
    Feature("a plain run", runs.plain, 5, "claim 2, advance 1, start 1, report 1", None),
    Feature("… of a job due less than every three hours", runs.seldom, 2, "advance 3 instead of 1"),
    Feature("the first quick run of a new job, or the first slow one", runs.first, 2, "the job's lane: definition 1, timer 1"),
    Feature("policies that take no effect", runs.unused_policies, 0, "nothing"),
    Feature("`record_units`", runs.records_units, 0, "the run's other writes carry it"),
    Feature("a run that fails, is lost or timed out", runs.fails, 1, "entry in `attention` 1"),
    Feature("an answer of more than 256 bytes", runs.long_answer, 1, "the output's item: 1 for each KB"),
    Feature("an answer of more than 4 KB", runs.longer_answer, 5, "its last 4 KB 5; and one S3 PUT"),
    Feature("a retry, after no answer", runs.retried, 2, "report as `retrying` 1, start 1"),
    Feature("a retry, after an answer", runs.retried_after_an_answer, 3, "the same, and the answer's item 1"),
    Feature("a retry more than 13 minutes later", runs.retried_much_later, 6, "report 1, deadline 2, its removal 2, start 1"),
    Feature("a retry under a lock or a slot", runs.retried_under_a_lock, 5, "report 1, start 2 and lock 2 in a transaction", runs.locked),
    Feature("a start more than 13 minutes after its claim (`jitter`)", runs.starts_late, 5, "deadline 2, its removal 2, an entry in a list of the sweep 1"),
    Feature("a take-over from a dead worker", runs.taken_over, 1, "start 1"),
    Feature("`overlap` other than `allow`, or `@after`'s", runs.locked, 3, "start 2 and lock 2 in a transaction, instead of start 1"),
    Feature("… and it waits for another", runs.queues, 1, "its entry in the lock's list 1", runs.two_apart),
    Feature("… and it replaces another", runs.replaces, 2, "its entry in the lock's list 1, mark on the other 1", runs.two_apart),
    Feature("a run skipped for another", runs.skips, 4, "claim 2, advance 1, skip 1", runs.locked),
    Feature("`max_concurrency`, of the job or its namespace", runs.limited, 3, "start 2 and slot 2 in a transaction, instead of start 1"),
    Feature("… with the lock too, or of both", runs.limited_and_locked, 2, "one more slot in the transaction 2", runs.locked),
    Feature("… and each try while no slot is free", runs.looks_again, 1, "the time of the next try 1", runs.two_limited_apart),
    Feature("a limit of `limits`", runs.named_limit, 3, "start 2 and slot 2 in a transaction, instead of start 1"),
    Feature("… and each further limit", runs.two_named_limits, 2, "one more slot in the transaction 2", runs.named_limit),
    Feature("a quota of runs a minute", runs.paced, 1, "a place in a minute 1; the first in a minute 1 more"),
    Feature("… and a wait for a later minute", runs.waits_for_its_minute, 1, "the time of its place 1", runs.paced),
    Feature("… and each time that it finds no place within five minutes", runs.finds_no_place, 2, "the time of the next try 1, another place 1", runs.begins_a_minute),
    Feature("a run skipped for a pause of the namespace", runs.in_a_pause, 4, "claim 2, advance 1, skip 1", None),
    Feature("fixed delay (`@after`)", runs.fixed_delay, 4, "the timer's next instant 1; the lock as above 3"),
    Feature("… of more than three hours", runs.long_fixed_delay, 4, "advance and next instant 3 each, instead of 1", runs.fixed_delay),
    Feature("`max_runs`", runs.counted, 7, "claim 3, advance 2 and deadline 3 in a transaction, its removal 2, instead of 3"),
    Feature("several endpoints, by turns", runs.takes_turns, 1, "a ticket 1"),
    Feature("… where the fewest calls are in flight", runs.goes_where_the_fewest_are, 1, "the end of the call 1", runs.takes_turns),
    Feature("… and each failure of an endpoint", runs.endpoint_fails, 1, "the number of failures 1; its ejection 1 more", runs.takes_turns),
    Feature("a registered endpoint that renews its registration", requests.registered_again, 1, "the service: 1 for each KB", None),
    Feature("answered later", requests.answered_later, 7, "`waiting` 1; report 2 and deadline 3 in a transaction, its removal 2, instead of 1"),
    Feature("… within more than 13 minutes", requests.answered_much_later, 10, "the same; the deadline beforehand 2, and 1 more to move it"),
    Feature("a heartbeat, or progress", requests.heartbeat, 1, "the run 1", None),
    Feature("cancelled before its start", requests.cancelled_early, 9, "end 2, deadline 3 and record 4 in a transaction, its removal 2, instead of start and report"),
    Feature("cancelled in progress", requests.cancelled_while_running, 6, "mark on the run 2 and record 4 in a transaction"),
    Feature("a trigger's run", requests.triggered, 16, "run 3, key 2, deadline 3 and record 4 in a transaction, its removal 2, start 1, report 1", None),
    Feature("… with a payload of its own", requests.triggered_with_payload, 2, "the payload: 2 for each KB", requests.triggered),
    Feature("a child's run", requests.parent_and_child, 4, "claim 2, start 1, report 1; its parents' runs write nothing for it"),
    Feature("a backfilled run", requests.backfilled, 6, "claim 2, start 1, report 1, the backfill's step 2; each backfill 9 more", None, 9, requests.BACKFILLED),
    Feature("a skipped range, however long", runs.missed, 9, "record 2, advance 2 and recheck 3 in a transaction, its removal 2", None),
    Feature("an old run removed for `retention_count`", requests.trimmed, 2, "the run 1, its entry in `by_time` 1; removal for `retention` is free", None, 0, requests.TRIMMED),
)  # fmt: skip
CHANGES = (
    Feature("a new job, in a new namespace", requests.created, 13, "definition 2, timer 2, list 2, revision 2, record 4; namespace 1", None),
    Feature("a new job within a quota of jobs", requests.created_within_a_quota, 14, "definition 2, timer 2, list 2, revision 2, record 4; number of jobs 2", None),
    Feature("an edit that keeps the occurrences", requests.edited, 12, "definition 2, timer 2, list 2, revision 2, record 4", None),
    Feature("an edit of the schedule", requests.rescheduled, 17, "definition 2, timer 2, list 2, revision 2, record 4, recheck 3, its removal 2", None),
    Feature("an edit after which the timer is no longer packed", requests.made_rare, 20, "definition 2, timer 5, list 2, revision 2, record 4, recheck 3, its removal 2", None),
    Feature("a pause", requests.paused, 19, "definition 2, timer 4, list 2, revision 2, record 4, recheck 3, its removal 2", None),
    Feature("resumed", requests.resumed, 19, "the same", None),
    Feature("a deletion", requests.deleted, 17, "definition 2, timer 2, list 2, revision 2, record 4, recheck 3, its removal 2", None),
)  # fmt: skip
_NOTES = (
    (
        "The arithmetic is in [costs](costs.md). MiniStack counts by the same rules, which it says it measured on AWS. DynamoDB Local "
        "agrees outside transactions; it omits some writes of transactions."
    ),
    "The table omits the tick's record of itself, its queries of the due index, and the calls of Lambda's SQS poller.",
    (
        "A refused call is a write whose condition failed. AWS bills it, one unit per KB of the item; no emulator reports that, so the "
        "table does not include it."
    ),
)
_RECORDED: dict[str, Play] = {
    "a plain run": runs.plain,
    "a failed run": runs.fails,
    "an answer of more than 256 bytes": runs.long_answer,
    "an answer of more than 4 KB": runs.longer_answer,
    "a retry": runs.retried,
    "a retry, after an answer": runs.retried_after_an_answer,
    "a retry more than 13 minutes later": runs.retried_much_later,
    "ten attempts": runs.ten_attempts,
    "a take-over from a dead worker": runs.taken_over,
    "the overlap lock": runs.locked,
    "a concurrency slot": runs.limited,
    "a lock and a slot": runs.limited_and_locked,
    "two runs that take a slot one after the other": runs.two_limited_apart,
    "a run that finds no slot at first": runs.looks_again,
    "a skipped run, and the active one": runs.skips,
    "fixed delay": runs.fixed_delay,
    "`max_runs`": runs.counted,
    "one of several endpoints, by turns": runs.takes_turns,
    "one of several endpoints, where the fewest calls are in flight": runs.goes_where_the_fewest_are,
    "a quota of runs a minute": runs.paced,
    "a run that waits for its minute": runs.waits_for_its_minute,
    "a pause of the namespace": runs.in_a_pause,
    "a late answer": requests.answered_later,
    "a much later answer": requests.answered_much_later,
    "a triggered run": requests.triggered,
    "a triggered run with a payload of its own": requests.triggered_with_payload,
    "a run and its child's run": requests.parent_and_child,
}


def tables() -> list[Table]:
    """All tables of the question."""
    with running() as emulators:
        return [
            _compared("What each feature costs", RUNS, emulators, _NOTES),
            _compared(
                "What a change of a job costs",
                CHANGES,
                emulators,
                ("MiniStack counts the changes as it does the features above.",),
            ),
            _attempts(emulators),
            _recorded(emulators),
            emulators.scans("Operations called by features"),
        ]


def _compared(title: str, features: Sequence[Feature], emulators: Emulators, notes: tuple[str, ...]) -> Table:
    known: dict[tuple[Play, str], Used] = {}
    rows: list[tuple[Cell, ...]] = []
    holds = True
    for feature in features:
        found = {server: added(feature, emulators, server, known) for server in emulators.servers}
        used, local = found[MINISTACK], found.get(DYNAMODB_LOCAL)
        holds &= within(abs(used.writes - feature.units), 0)
        rows.append(
            (
                feature.what,
                feature.units,
                used.writes,
                local.writes if local else None,
                used.reads,
                used.calls,
                used.refused,
            )
        )
    return Table(
        title=title,
        goal="MiniStack counts the write units of the arithmetic",
        holds=holds,
        columns=("what", "write units", "MiniStack", "DynamoDB Local", "read units", "calls", "refused"),
        rows=tuple(rows),
        notes=(*notes, *emulators.notes),
    )


def added(feature: Feature, emulators: Emulators, server: str, known: dict[tuple[Play, str], Used]) -> Used:
    """The usage of a feature on a server, without that of its baseline.

    Args:
        known: usage of scenarios that were played before; gets that of others.
    """
    used = _used(feature.play, emulators, server, known)
    without = Used() if feature.baseline is None else _used(feature.baseline, emulators, server, known)
    writes, *others = (mine - theirs for mine, theirs in zip(used, without, strict=True))
    return Used((writes - feature.less) / feature.times, *(one / feature.times for one in others))


def _used(play: Play, emulators: Emulators, server: str, known: dict[tuple[Play, str], Used]) -> Used:
    if (play, server) not in known:
        metered = emulators.make([], server)
        play(Scenario(metered))
        usage, refused = metered.meter.take().of_runs(), len(metered.meter.failures)
        known[play, server] = Used(sum(usage.writes.values()), sum(usage.reads.values()), usage.calls.total(), refused)
    return known[play, server]


def _attempts(emulators: Emulators) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for attempts in _ATTEMPTS:
        metered = emulators.make([])
        scenario = Scenario(metered)
        key = runs.attempted(scenario, attempts)
        written = sum(metered.take().of_runs().writes.values())
        rows.append((attempts, written, item_size(run_codec.encode(scenario.run(key)))))
    return Table(
        title="Write units of a run, by its number of attempts",
        columns=("attempts", "written", "bytes of the record at its end"),
        rows=tuple(rows),
        notes=(
            (
                "Only the last attempt has an answer. "
                "Each write of a run costs one more unit for each KB of its record beyond the first."
            ),
        ),
    )


def _recorded(emulators: Emulators) -> Table:
    """The usage that runs record themselves (`record_units`), and the usage that is counted."""
    rows: list[tuple[Cell, ...]] = []
    for what, play in _RECORDED.items():
        metered = emulators.make([])
        scenario = Scenario(metered, record_units=True)
        play(scenario)
        counted = sum(metered.take().of_runs().writes.values())
        recorded = sum(run.units.write for run in scenario.runs() if run.units is not None)
        rows.append((what, counted, recorded))
    return Table(
        title="Write units that runs record, and that are counted",
        goal="with `record_units`, runs record as many write units as are counted",
        holds=all(row[1] == row[2] for row in rows),
        columns=("what", "counted", "recorded"),
        rows=tuple(rows),
        notes=(
            (
                "Counted by MiniStack over all calls; recorded as the sum of `units.write` over the runs. Workers measure their own calls and compute what "
                "they cannot see: the claim, the advance, the report itself, the API's writes."
            ),
        ),
    )
