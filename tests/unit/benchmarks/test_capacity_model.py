"""The capacity model has the code's constants, the counted units, the measured times and the stored sizes."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from benchmarks import results, worker
from benchmarks.capacity import limits, model, monthly_cost, sweep
from benchmarks.capacity.settings import Settings
from benchmarks.workload import NINE, job, store

from minutehand.adapters import backoff, sqs
from minutehand.adapters.dynamodb import timers
from minutehand.adapters.dynamodb.calls import statements
from minutehand.adapters.dynamodb.calls.metering import item_size
from minutehand.adapters.dynamodb.codecs import definition_codec, run_codec
from minutehand.domain.revision_history import Did, PastRevision
from minutehand.domain.run import Result, Run, RunState
from minutehand.domain.run_entry import MOST_BYTES
from minutehand.domain.run_key import RunKey
from minutehand.entrypoints.sweep import SENDING
from minutehand.entrypoints.tick import AT_A_TIME
from minutehand.tools.costs import batch_shares, features
from minutehand.tools.costs import model as costs
from minutehand.usecases.dispatching import tick
from minutehand.usecases.upkeep.sweep import SWEEP_EVERY

ROOT = Path(__file__).parents[3]


def test_units_are_the_counted_ones() -> None:
    page = (ROOT / "docs" / "reference" / "benchmarks.md").read_text(encoding="utf-8")
    row = re.search(r"^\| MiniStack +\| +1 \| \* \* \* \* \* +\|([^\n]*)", page, re.MULTILINE)
    assert row is not None
    cells = row[1].split("|")
    claim, advance, start, report, written = (float(cell) for cell in cells[:5])
    assert float(cells[8]) == model.READ_RUN + model.READ_DEFINITION + model.READ_NAMESPACE / model.BATCH
    assert claim == pytest.approx(model.CLAIM + model.ENTRY, abs=0.02), "short names share an entry with more"
    assert advance == model.ADVANCE
    assert (start, report) == (model.START, model.REPORT)
    assert written == pytest.approx(model.WRITTEN, abs=0.02)
    assert features.SELDOM.writes == model.ADVANCE_IN_INDEX


def measured(question: str, title: str) -> list[dict[str, Any]]:
    """The rows of a stored table."""
    table = next(table for table in results.latest([question])[0].tables if table.title == title)
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_processor_time_is_about_the_last_measured() -> None:
    """Machines and days differ; a third more or less would need another model."""
    ticks = [
        row for row in measured("dispatch", "Processor time and pace of dispatch") if row["scheduler"] == "Minutehand"
    ]
    bare_worker = measured("end_to_end", "Processor time of the worker")
    deployed_worker = measured("end_to_end", "Runs a second, from due to called")
    swept = measured("capacity", "Processor time of the sweep")
    for seconds, microseconds in (
        (model.TICK_CPU, max(row["µs per occurrence"] for row in ticks)),
        (model.WORKER_CPU, bare_worker[-1]["worker: µs per run"]),
        (model.WORKER_CPU, deployed_worker[-1]["worker processes: ms per run"] * 1e3),
        (model.SWEEP_CPU, swept[0]["measured: µs a run"]),
    ):
        assert 0.75 <= seconds * 1e6 / microseconds <= 1.33


def test_constants_are_those_of_the_code() -> None:
    assert (model.GROUP, model.THREADS, model.LOOKS) == (tick.LEAST_AT_ONCE, AT_A_TIME, timers._LOOKS)
    assert MOST_BYTES // (25 + 1) == batch_shares.NAMED == model.NAMED
    assert timedelta(seconds=model.TICK_RESERVE) == tick.RESERVE
    assert (model.TRIES, model.FIRST_PAUSE) == (statements.TRIES, backoff.FIRST)
    assert (limits.STATEMENTS.value, limits.MESSAGES.value) == (statements.MOST_PER_BATCH, sqs.MOST_PER_BATCH)
    assert limits.DELAY.value == sqs.LONGEST_DELAY
    assert worker.BATCH == model.BATCH
    assert timedelta(seconds=model.SWEEP_EVERY) == SWEEP_EVERY


class _Template(yaml.SafeLoader):
    """A template without its functions."""


_Template.add_multi_constructor("!", lambda *_: None)


def test_defaults_are_those_of_the_template() -> None:
    template = yaml.load((ROOT / "template.yaml").read_text(encoding="utf-8"), Loader=_Template)  # noqa: S506 - a SafeLoader
    default = {name: one["Default"] for name, one in template["Parameters"].items()}
    settings = Settings()
    assert (settings.tick_fan_out, settings.tick_memory) == (default["TickFanOut"], default["TickMemory"])
    assert settings.look_ahead == default["LookAheadSeconds"]
    assert (settings.worker_memory, settings.worker_concurrency) == (
        default["WorkerMemory"],
        default["WorkerMaxConcurrency"],
    )
    assert settings.tick_share == default["TickShare"]
    everywhere = template["Globals"]["Function"]
    assert (everywhere["MemorySize"], everywhere["Timeout"]) == (sweep.MEMORY, model.TICK_TIME)
    assert SENDING.total_seconds() == model.SWEEP_TIME + 10


class _Written:
    """A client that records written items."""

    def __init__(self) -> None:
        self.items: list[dict[str, object]] = []

    def batch_write_item(self, RequestItems: dict[str, list[dict[str, dict[str, dict[str, object]]]]]) -> None:  # noqa: N803 - boto3's
        for requests in RequestItems.values():
            self.items += [request["PutRequest"]["Item"] for request in requests]


def test_sizes_are_those_of_stored_items() -> None:
    one = job("report-00042", "0 9 * * MON-FRI")
    written = _Written()
    store(written, "jobs", [one])
    definition, timer = written.items
    assert (item_size(definition), item_size(timer)) == (monthly_cost.DEFINITION, monthly_cost.TIMER)
    assert item_size(definition_codec.encode_listed(definition_codec.decode(definition))) == monthly_cost.LISTED
    saved = PastRevision(number=1, effective_from=NINE, rule="x" * 40, did=Did.CREATED, who="token")
    assert item_size(definition_codec.encode_past(saved, definition_codec.decode(definition))) <= monthly_cost.REVISION
    run = run_codec.encode(
        Run(
            key=RunKey.scheduled(one.key, NINE),
            target="http",
            revision=1,
            claimed_at=NINE,
            expires_at=NINE,
            state=RunState.SUCCEEDED,
            attempt=1,
            started_at=NINE,
            finished_at=NINE,
            lateness=timedelta(seconds=1),
            worker="0f9d0c66-6c1e-4b9a-9d6a-0d8f4f1d3c77",
            nonce="a" * 32,
            lease_until=NINE,
            result=Result(type="http", status=200, body='{"closed":true}'),
        )
    )
    in_index = {name: run[name] for name in ("job", "run_id", "by_time")}
    assert item_size(run) + item_size(in_index) + 2 * monthly_cost.PER_ITEM <= costs.RUN_BYTES
