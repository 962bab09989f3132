"""The rounds that were played, as a table that is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from benchmarks.charts.chart import Chart
from benchmarks.dispatch.turns import Kind, Side
from benchmarks.table import Table, told_not_run, within

GOALS = {Kind.BARE: 1.3, Kind.APSCHEDULER: 0.8, Kind.CELERY: 0.2}
"""How many times the processor time of each ours may take."""
TITLE = "Processor time and pace of dispatch"
_SHARE = "Minutehand / this"
_CHART = Chart(
    name="dispatch",
    kind="bars",
    over=("scheduler", "with"),
    values=(_SHARE,),
    by="due at once",
    x="scheduler, and what it stands on",
    y="Minutehand's processor time, as a multiple of what is named",
    title="Processor time of dispatching an occurrence: ours, as a multiple of others', by how many jobs are due at once",
)
NOTES = (
    (
        "Medians of the rounds, which all play in turn. Processor time is that of the process that schedules, all its threads together; "
        "none of these starts another. Databases, brokers and queues are other processes, counted on no side. "
        "What is compared is the processor time per occurrence: with bare boto3 on the same server, with the others the dearer of ours."
    ),
    (
        "Minutehand is the tick as the function has it, the use case over the real adapters on as many threads: it reads what is due, claims a run for each "
        "occurrence, sends it to a queue and advances the timer. "
        "Bare are that tick's own requests, rehearsed beforehand against a client that records: the queries of the due index, then "
        "the INSERTs in batches of 25, the messages in batches of 10, the UPDATEs in batches of 25, as many calls at a time as the tick makes. The queue is MiniStack's in each case."
    ),
    (
        "APScheduler is one turn of its loop, its jobs in PostgreSQL through SQLAlchemy and psycopg, all settings their defaults but one: "
        "a job more than a second late would not be run at all, so the grace for that is lifted. Its thread pool calls a function that does nothing, "
        "which stands for handing over; then it writes each row in a transaction of its own."
    ),
    (
        "Celery's beat has its default scheduler, which keeps entries in a file, and sends to Redis what no worker takes. At every turn it sends one entry and compares all "
        "with what they were, so an occurrence is the dearer the more entries there are. A round ends where its time does: "
        "what was sent by then is what counts, each as dear as the last. What it writes to its file every three minutes is left out."
    ),
    (
        "Occurrences a second are by the clock on the wall, with the servers on the same cores. Where ours and bare boto3 wait, they wait for an emulator "
        "that interprets each statement, which says nothing of AWS."
    ),
)


def table(played: Sequence[Side], absent: Mapping[str, str], notes: Sequence[str] = ()) -> Table:
    """What each side took, and whether ours keeps its goals.

    Args:
        played: sides with their rounds, or the trouble that left them without; ours among them, with rounds.
        absent: by name, why something could not be started.
    """
    there = [side for side in played if side.rounds]
    compared = [(side, _times(side, there)) for side in there]
    figures = [(side.kind, times) for side, times in compared if times is not None]
    kept = all(within(times, GOALS[kind]) for kind, times in figures)
    missing = {(kind, side.load) for kind in GOALS for side in played} - {(s.kind, s.load) for s in there}
    return Table(
        title=TITLE,
        chart=_CHART if figures else None,
        goal="of processor time per occurrence at most "
        + ", ".join(f"{most} times that of {kind.value}" for kind, most in GOALS.items()),
        holds=False if not kept else None if missing else True,
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
                side.load,
                side.kind.value,
                side.server,
                len(side.rounds),
                round(median(one.sent for one in side.rounds)),
                side.rounds[-1].calls,
                median(side.cost) * 1e6,
                side.pace,
                times,
                GOALS.get(side.kind),
            )
            for side, times in compared
        ),
        notes=(
            *NOTES,
            *notes,
            *(told_not_run(f"{name}: {reason}") for name, reason in absent.items()),
            *(
                told_not_run(f"{side.kind.value} with {side.server}, {side.load:,} due at once: {side.trouble}")
                for side in played
                if side.trouble
            ),
        ),
    )


def _times(side: Side, there: Sequence[Side]) -> float | None:
    """How many times what this one takes ours takes; None for ours, and where ours has nothing to compare."""
    if side.kind not in GOALS:
        return None
    ours = [one for one in there if one.kind is Kind.OURS and one.load == side.load]
    if side.kind is Kind.BARE:
        ours = [one for one in ours if one.server == side.server]
    return max((one.times(side) for one in ours), default=None)
