"""The bills of docs/reference/cost-comparison.md add up. `make lint` checks that the page is current."""

from __future__ import annotations

import re

import pytest
from benchmarks import cost_comparison
from benchmarks.cost_comparison import PAGE, WORKLOADS, runs_of

TEXT = PAGE.read_text(encoding="utf-8")


def bills() -> list[list[dict[str, str]]]:
    """The rows of each bill, by column."""
    found = []
    for table in re.findall(r"^(\| item \|.*\n)\| --- .*\n((?:\| .*\n)+)", TEXT, re.MULTILINE):
        head, *rows = ([cell.strip() for cell in line.strip("|").split(" | ")] for line in "".join(table).splitlines())
        found.append([dict(zip(head, row, strict=True)) for row in rows])
    return found


def numbers(text: str) -> list[float]:
    """One number, or those of the workloads; bytes as GB."""
    return [
        float(each.removesuffix(" bytes").replace(",", "")) / (2**30 if each.endswith("bytes") else 1)
        for each in text.split("; ")
    ]


def test_every_line_is_its_amount_times_its_price() -> None:
    counted = 0
    for rows in bills()[:3]:
        for row in rows[:-1]:
            price, _, million = row["price"].partition(" a ")
            fixed, each = numbers(row.get("stack", "0")), numbers(row["each run"])
            for work in WORKLOADS:
                if (dollars := row[f"{work.short}, $"]) == "-":
                    continue
                possible = [
                    (stack + runs_of(work) * a_run) * float(price) / (1e6 if million else 1)
                    for stack in fixed
                    for a_run in each
                ]
                assert any(
                    float(dollars.replace(",", "")) == pytest.approx(cost, rel=0.01, abs=0.0051) for cost in possible
                )
                counted += 1
    assert counted > 70


def test_every_bill_adds_up_to_a_total_of_the_overview() -> None:
    overview = TEXT.partition("## How to read it")[0].replace("< $0.01", "$0.00")
    *of_runs, of_machines = bills()
    assert len(of_runs) == 3
    columns = [(rows, f"{work.short}, $") for rows in of_runs for work in WORKLOADS] + [(of_machines, "$")]
    for rows, column in columns:
        *dollars, total = (row[column].strip("*").replace(",", "") for row in rows)
        if total == "-":
            assert "not possible" in overview
            continue
        assert sum(map(float, dollars)) == pytest.approx(float(total), abs=0.05)
        assert f"${float(total):,.2f}" in overview


def test_a_request_of_the_other_functions_takes_the_measured_processor_time() -> None:
    benchmarks = (PAGE.parent / "benchmarks.md").read_text(encoding="utf-8")
    found = re.search(r"^\| +200 \| +\d+ \| +([\d.]+) \| +[\d,]+ \| +([\d,]+) \|", benchmarks, re.MULTILINE)
    assert found is not None
    requests, bare = float(found[1]), float(found[2].replace(",", "")) / 1e6
    assert pytest.approx(bare / requests, rel=0.25) == cost_comparison.REQUEST_PROCESSOR_SECONDS
