"""What looks at packed timers take that are not due: a tick reads all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from statistics import median
from typing import Any

from tests.contract import tables as contract_tables

from benchmarks import emulators
from benchmarks.growth.ticker import DUE, Ticker, Ticks
from benchmarks.table import Table, within
from benchmarks.timing import rotated
from benchmarks.workload import NINE, SHARDS, chunks, job, jobs, store, timer_of
from minutehand.adapters.dynamodb.codecs import timer_codec
from minutehand.domain.job_key import JobKey

SIZES = (DUE, 1_000, 10_000)
ROUNDS = 15
MOST = 0.05
_LATER = NINE + timedelta(hours=2)


def tables(sizes: Sequence[int] = SIZES, *, rounds: int = ROUNDS) -> list[Table]:
    """The table, on DynamoDB Local."""
    with emulators.ministack() as queues, emulators.dynamodb_local() as url:
        tickers = [_ticker(url, queues, size) for size in sizes]
        for ticker in tickers:
            ticker.tick()
            ticker.forget()
        for turn in range(rounds):
            for ticker in rotated(tickers, turn):
                ticker.tick()
    return [_table([ticker.ticks for ticker in tickers])]


def _ticker(dynamodb_url: str, sqs_url: str, size: int) -> Ticker:
    client = emulators.dynamodb(dynamodb_url)
    table, _ = contract_tables.create(client, suffix=str(size))
    store(client, table, jobs(DUE, "* * * * *"))
    for chunk in chunks(list(_not_due(size - DUE)), 25):
        client.batch_write_item(RequestItems={table: [{"PutRequest": {"Item": item}} for item in chunk]})
    return Ticker(client, emulators.sqs(sqs_url), size)


def _not_due(number: int) -> Iterator[dict[str, Any]]:
    """Packed timers of jobs of every five minutes that are due hours later."""
    timer = replace(timer_of(job("other", "*/5 * * * *")), next_at=_LATER)
    for n in range(number):
        yield timer_codec.encode(replace(timer, job=JobKey("benchmark", f"other-{n:07d}")), shards=SHARDS)


def _table(ticks: Sequence[Ticks]) -> Table:
    least, most = ticks[0], ticks[-1]
    per_occurrence = median(least.processor) / DUE
    looks = {one.jobs: _per_look(one, least) for one in ticks[1:]}
    return Table(
        title="Time of a tick with 100 jobs due, by the number of packed timers",
        goal=f"processor time of a look at a packed timer that is not due ≤ {MOST:.0%} of that of an occurrence dispatched",
        holds=within(looks[most.jobs] / per_occurrence, MOST),
        columns=("packed timers", "ticks", "processor ms", "calls", "µs a look", "part of an occurrence"),
        rows=tuple(
            (
                one.jobs,
                len(one.processor),
                median(one.processor) * 1e3,
                round(median(one.calls)),
                looks[one.jobs] * 1e6 if one.jobs in looks else None,
                looks[one.jobs] / per_occurrence if one.jobs in looks else None,
            )
            for one in ticks
        ),
        notes=(
            (
                f"Each tick dispatches the same {DUE} jobs, which are due every minute; an occurrence took {per_occurrence * 1e6:,.0f} µs. "
                "The other timers are of jobs of every 5 minutes, and due hours later: DynamoDB reads them, and answers with those that are due."
            ),
            "A look is the difference to the first row, divided by the number of further timers.",
        ),
    )


def _per_look(one: Ticks, least: Ticks) -> float:
    """Seconds of processor time; 0 if the difference is less than the ticks' own variation."""
    return max(median(one.processor) - median(least.processor), 0.0) / (one.jobs - least.jobs)
