"""The bills of docs/reference/cost-comparison.md add up. `make lint` checks that the page is current."""

from __future__ import annotations

import re

import pytest
from benchmarks import cost_comparison
from benchmarks.cost_comparison import PAGE, WORKLOADS

TEXT = PAGE.read_text(encoding="utf-8")


def test_every_line_is_its_amount_times_its_price() -> None:
    found = re.findall(r"\| ([\d,.e-]+) \| ([\d.]+)( a million)? \| ([\d,.]+) \|$", TEXT, re.MULTILINE)
    assert len(found) > 50
    for amount, price, million, dollars in found:
        cost = float(amount.replace(",", "")) * float(price) / (1e6 if million else 1)
        assert float(dollars.replace(",", "")) == pytest.approx(cost, rel=0.01, abs=0.0051)


def test_every_bill_adds_up_to_a_total_of_the_overview() -> None:
    bills = re.findall(
        r"^\| --- \| --- \|.*\n((?:\| .*\n)+?)\| \*\*total\*\* \| \| \| \| \*\*(.*?)\*\* \|", TEXT, re.MULTILINE
    )
    assert len(bills) == 3 * len(WORKLOADS)
    overview = TEXT.partition("## How to read it")[0].replace("< $0.01", "$0.00")
    for rows, total in bills:
        dollars = [float(row.rsplit("|", 2)[1].replace(",", "")) for row in rows.splitlines()]
        assert sum(dollars) == pytest.approx(float(total.replace(",", "")), abs=0.05)
        assert f"${total}" in overview


def test_a_request_of_the_other_functions_takes_the_measured_processor_time() -> None:
    benchmarks = (PAGE.parent / "benchmarks.md").read_text(encoding="utf-8")
    found = re.search(r"^\| +200 \| +\d+ \| +([\d.]+) \| +[\d,]+ \| +([\d,]+) \|", benchmarks, re.MULTILINE)
    assert found is not None
    requests, bare = float(found[1]), float(found[2].replace(",", "")) / 1e6
    assert pytest.approx(bare / requests, rel=0.25) == cost_comparison.REQUEST_PROCESSOR_SECONDS
