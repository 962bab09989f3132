"""Seconds of a processor are those that docs/benchmarks.md has measured, as near as two measurements are to each other."""

import re
from pathlib import Path
from statistics import median

import pytest

from minutehand.costs import model
from minutehand.costs.batches import Share
from minutehand.costs.model import Month
from minutehand.costs.units import Unit
from tests.unit.costs.jobs import job

BENCHMARKS = (Path(__file__).parents[3] / "docs" / "benchmarks.md").read_text(encoding="utf-8")
NEAR = 0.25


def after(title: str) -> str:
    """What stands under a title of the page."""
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


def test_runs_of_a_batch_wait_for_their_targets_together_and_for_the_processor_in_turn() -> None:
    def seconds(part: float) -> float:
        used = model.usage(job(), Month(scheduled=1000, seconds=0.3), share=Share(part, part))
        return used.of(Unit.LAMBDA_GB_SECOND) / model.WORKER_GB / 1000 - model.CLAIM_SECONDS

    each = model.RUN_PROCESSOR_SECONDS / model.PROCESSOR
    assert seconds(1) == pytest.approx(0.3 + 0.05 + each)
    assert seconds(0.1) == pytest.approx((0.3 + 0.05) / 10 + each)
