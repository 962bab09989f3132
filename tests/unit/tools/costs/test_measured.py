"""What was measured is what is counted: the size of a run, and seconds of a processor, as near to those of docs/reference/benchmarks.md as two
measurements are to each other."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import pytest

from minutehand.adapters.dynamodb.calls.metering import item_size
from minutehand.adapters.dynamodb.codecs import run_codec
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Result, Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.tools.costs import model
from minutehand.tools.costs.batch_shares import Share
from minutehand.tools.costs.model import Month
from minutehand.tools.costs.units import Unit
from tests.unit.tools.costs.jobs import job

BENCHMARKS = (Path(__file__).parents[4] / "docs" / "reference" / "benchmarks.md").read_text(encoding="utf-8")
NEAR = 0.25


def after(title: str) -> str:
    """The text under a title of the page."""
    return BENCHMARKS.partition(f"### {title}\n")[2].partition("\n### ")[0]


def microseconds(text: str, row: str) -> list[float]:
    """The first group of each row that is matched."""
    return [float(found.replace(",", "")) for found in re.findall(row, text, re.MULTILINE)]


def test_a_worker_takes_of_its_processor_for_a_run_what_was_measured() -> None:
    [ours] = microseconds(after("Processor time of the worker"), r"^\| +200 \| +\d+ \| +[\d.]+ \| +([\d,]+) \|")
    assert pytest.approx(ours / 1e6, rel=NEAR) == model.RUN_PROCESSOR_SECONDS
    assert pytest.approx(512 / 1_769) == model.PROCESSOR


def test_a_tick_takes_of_its_processor_for_an_occurrence_what_was_measured() -> None:
    ours = microseconds(
        after("Processor time and pace of dispatch"),
        r"^\| +[\d,]+ \| Minutehand +\| [^|]+\| +\d+ \| +[\d,]+ \| +[\d,]+ \| +([\d,]+) \|",
    )
    assert len(ours) >= 2
    assert pytest.approx(median(ours) / 1e6 / model.PROCESSOR, rel=NEAR) == model.CLAIM_SECONDS


def test_a_run_whose_answer_fits_in_its_record_is_stored_in_what_is_counted() -> None:
    at = datetime(2026, 11, 20, 9, tzinfo=UTC)
    item = run_codec.encode(
        Run(
            key=RunKey.scheduled(JobKey(namespace="accounting", name="closes-the-books-of-the-day"), at),
            target="http",
            revision=1,
            claimed_at=at,
            expires_at=at,
            state=RunState.SUCCEEDED,
            attempt=1,
            started_at=at,
            finished_at=at,
            lateness=timedelta(seconds=1),
            worker="0f9d0c66-6c1e-4b9a-9d6a-0d8f4f1d3c77",
            nonce="a" * 32,
            lease_until=at,
            result=Result(type="http", status=200, body="x" * model.LONG_ANSWER_BYTES),
        )
    )
    entry = {name: item[name] for name in ("job", "run_id", "by_time")}
    assert 0.9 < (item_size(item) + item_size(entry) + 2 * 100) / model.RUN_BYTES <= 1


def test_runs_of_a_batch_wait_for_their_targets_together_and_for_the_processor_in_turn() -> None:
    def seconds(part: float) -> float:
        used = model.usage(job(), Month(scheduled=1000, seconds=0.3), share=Share(part, part))
        return used.of(Unit.LAMBDA_GB_SECOND) / model.WORKER_GB / 1000 - model.CLAIM_SECONDS

    each = model.RUN_PROCESSOR_SECONDS / model.PROCESSOR
    assert seconds(1) == pytest.approx(0.3 + 0.05 + each)
    assert seconds(0.1) == pytest.approx((0.3 + 0.05) / 10 + each)
