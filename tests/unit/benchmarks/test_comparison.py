"""docs/cost-comparison.md says what the model of costs makes of the prices, and adds up."""

from __future__ import annotations

import re

import pytest
from benchmarks import comparison
from benchmarks.comparison import PAGE, WORKLOADS, Work

from minutehand.tools.costs.units import Unit

TEXT = PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def written() -> str:
    return comparison.page()


@pytest.mark.thorough
def test_the_page_is_as_it_would_be_written(written: str) -> None:
    assert written == TEXT, "run: make comparison"


def test_every_bill_adds_up_to_a_sum_that_the_overview_shows() -> None:
    bills = re.findall(
        r"^\| --- \| --- \|.*\n((?:\| .*\n)+?)\| \*\*in all\*\* \| \| \| \| \*\*(.*?)\*\* \|", TEXT, re.MULTILINE
    )
    assert len(bills) == 3 * len(WORKLOADS)
    overview = TEXT.partition("## How to read it")[0].replace("< $0.01", "$0.00")
    for rows, said in bills:
        dollars = [float(row.rsplit("|", 2)[1].replace(",", "")) for row in rows.splitlines()]
        assert sum(dollars) == pytest.approx(float(said.replace(",", "")), abs=0.05)
        assert f"${said}" in overview


def test_every_line_is_its_amount_times_its_price() -> None:
    found = re.findall(r"\| ([\d,.e-]+) \| ([\d.]+)( a million)? \| ([\d,.]+) \|$", TEXT, re.MULTILINE)
    assert len(found) > 50
    for amount, price, million, dollars in found:
        cost = float(amount.replace(",", "")) * float(price) / (1e6 if million else 1)
        assert float(dollars.replace(",", "")) == pytest.approx(cost, rel=0.01, abs=0.0051)


def test_the_functions_of_the_others_take_of_their_processor_what_bare_requests_were_measured_to() -> None:
    benchmarks = (PAGE.parent / "benchmarks.md").read_text(encoding="utf-8")
    found = re.search(r"^\| +200 \| +\d+ \| +([\d.]+) \| +[\d,]+ \| +([\d,]+) \|", benchmarks, re.MULTILINE)
    assert found is not None
    requests, bare = float(found[1]), float(found[2].replace(",", "")) / 1e6
    assert pytest.approx(bare / requests, rel=0.25) == comparison.REQUEST_PROCESSOR_SECONDS


def test_scheduler_cannot_do_seconds() -> None:
    assert comparison.scheduler(Work("quick", 1, ("*/10 * * * * *",))) is None
    assert comparison.scheduler(Work("slow", 1, ("* * * * *",))) is not None


def test_jobs_are_spread_over_the_schedules_of_a_workload() -> None:
    spread, together = (Work("hourly", 120, texts) for texts in (("0 * * * *", "30 * * * *"), ("0 * * * *",)))
    writes = [
        next(line.amount for line in comparison.minutehand(work) if line.unit is Unit.DYNAMODB_WRITE)
        for work in (spread, together)
    ]
    assert comparison.runs_of(spread) == comparison.runs_of(together) == 120 * 730
    assert writes[0] == pytest.approx(writes[1]) == pytest.approx(43_800 + 120 * 730 * 7)


@pytest.mark.thorough
def test_a_page_that_is_not_current_is_told(written: str, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(comparison, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(comparison, "page", lambda: written)
    assert comparison.main(["--check"]) == 1
    assert "Run: make comparison" in capsys.readouterr().err
    assert comparison.main([]) == 0
    assert comparison.main(["--check"]) == 0
