"""What is charged is what the benchmark has counted: a change of what a feature costs breaks these."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from benchmarks import results

from minutehand.tools.costs import features, model
from minutehand.tools.costs.batch_shares import ALONE, Share, _listed
from minutehand.tools.costs.features import Feature
from minutehand.tools.costs.model import Month
from minutehand.tools.costs.units import Unit
from minutehand.usecases.ports.sweeps import Span
from minutehand.usecases.upkeep.sweep import SWEEP_EVERY, second_look
from tests.unit.tools.costs.jobs import job

DOCS = Path(__file__).parents[4] / "docs"
ENTRYPOINTS = Path(__file__).parents[4] / "functions" / "minutehand" / "entrypoints"
COSTS, BENCHMARKS, DEPLOY, DESIGN = (
    (DOCS / name).read_text(encoding="utf-8")
    for name in ("reference/costs.md", "reference/benchmarks.md", "how-to/deploy.md", "design/protocol.md")
)
FEATURES = [each for each in vars(features).values() if isinstance(each, Feature)]
COUNTED = {
    row[0]: dict(zip(table.columns, row, strict=True))
    for table in results.latest(["features"])[0].tables[:2]
    for row in table.rows
}


def rows(text: str, title: str = "") -> dict[str, list[str]]:
    """The rows of all tables after a title, up to the next one, by their first cell."""
    part = text.partition(f"### {title}\n")[2].partition("\n### ")[0] if title else text
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line[:1] == "|"]
    return {row[0]: row[1:] for row in cells}


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.what)
def test_each_feature_writes_what_the_page_of_costs_says(feature: Feature) -> None:
    assert float(rows(COSTS)[feature.what][0]) == feature.writes


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.what)
def test_each_feature_writes_and_reads_what_was_counted(feature: Feature) -> None:
    found = COUNTED[feature.what]
    assert found["write units"] == found["MiniStack"] == feature.writes
    assert found["read units"] == pytest.approx(feature.reads, abs=0.01)


def test_the_page_of_costs_has_the_reads_and_calls_that_were_counted() -> None:
    assert len(COUNTED) > 35
    page = rows(COSTS)
    for what, found in COUNTED.items():
        *_, reads, calls = page[what]
        assert (float(reads), float(calls)) == pytest.approx((found["read units"], found["calls"]), abs=0.006)


def test_the_steps_of_a_plain_run_are_those_of_the_page_and_make_its_sum() -> None:
    steps = f"claim {features.CLAIM}, advance {features.ADVANCE}, start {features.START}, report {features.REPORT}"
    assert rows(COSTS)["a plain run"][1] == steps
    assert features.PLAIN.writes == features.CLAIM + features.ADVANCE + features.START + features.REPORT
    assert features.SKIPPED.writes == features.CLAIM + features.ADVANCE + features.SKIP


def test_occurrences_that_share_an_advance_write_what_was_counted() -> None:
    row = r"^\| MiniStack +\| +(\d+) \| [^|]+\| +([\d.]+) \|.*?\| +([\d.]+) \| +[\d.]+ \| yes"
    counted = re.findall(row, BENCHMARKS, re.MULTILINE)
    assert len(counted) >= 3
    for together, claim, written in counted:
        month, share = Month(scheduled=1000, together=int(together)), ALONE._replace(listed=float(claim) - 1)
        used = model.usage(job(), month, share=share)
        assert used.of(Unit.DYNAMODB_WRITE) / 1000 == pytest.approx(float(written), abs=0.02)


def test_claims_together_write_what_was_counted_for_short_names() -> None:
    counted = rows(BENCHMARKS, "Calls per occurrence, by how many are due in the same minute")
    for together, row in counted.items():
        if together.isdecimal():
            assert 1 + _listed(int(together), int(together)) == pytest.approx(float(row[0]), abs=0.03)


def test_sqs_is_called_as_often_as_was_counted() -> None:
    counted = rows(BENCHMARKS, "Calls per occurrence, by how many are due in the same minute")
    counted = {together: row for together, row in counted.items() if together.isdecimal()}
    assert len(counted) >= 3
    for together, row in counted.items():
        part = -(-int(together) // 10) / int(together)
        used = model.usage(job(), Month(scheduled=1000), share=Share(part, part))
        outside, hidden = float(row[4]), part
        assert used.of(Unit.SQS_CALL) / 1000 == pytest.approx(outside + hidden)


def test_a_tick_that_finds_nothing_uses_what_was_counted() -> None:
    """And every five minutes a look at the shards' row, which is its function's own."""
    reads, writes, _ = rows(BENCHMARKS, "Units of an idle tick")["no jobs"]
    assert (float(writes), float(reads) + 1 / 5) == (features.IDLE_TICK_WRITES, features.IDLE_TICK_READS)


def test_a_stack_in_which_nothing_runs_has_no_metric() -> None:
    """CloudWatch bills a metric for each hour in which it has values, and `count` leaves out zeros."""
    sources = [(ENTRYPOINTS / f"{name}.py").read_text(encoding="utf-8") for name in ("tick", "sweep")]
    counted = re.findall(r"^    count\(Metric\.(\w+)(.*)\)$", "".join(sources), re.MULTILINE)
    assert len(counted) == len(re.findall(r"\bcount\(", "".join(sources)))
    assert all(value for _, value in counted), "each is a number of things that happened"
    assert model.idle().of(Unit.METRIC) == 0
    assert "none for an idle stack" in DEPLOY


def test_the_sweep_looks_at_a_run_as_often_as_it_is_counted() -> None:
    """Once a minute after its instant, and once more in the hour after; the rest is pages of the index."""
    first, day = datetime(2026, 11, 20, 9, 0, 30, tzinfo=UTC), timedelta(days=1)
    looks = 0
    for minute in range(day // SWEEP_EVERY):
        until = first + minute * SWEEP_EVERY
        new = Span(until - SWEEP_EVERY, until)
        again = second_look(*new)
        looks += sum(max(one.end - one.start, timedelta(0)) // timedelta(seconds=1) for one in (new, again))
    assert looks == 2 * day.total_seconds()
    assert 1 < model.SWEEP_READS < 1.5
    assert "one and a quarter for a run" in DESIGN
