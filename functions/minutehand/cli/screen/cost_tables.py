"""A cost estimate as tables or JSON."""

from collections.abc import Sequence
from typing import Any

from minutehand.cli.screen.render import Screen
from minutehand.tools.costs.estimate import Estimate, Line
from minutehand.tools.costs.units import MONTH

MOST_JOBS = 20


def show(screen: Screen, found: Estimate) -> None:
    """Print the total, the lines by service, and the most expensive jobs."""
    runs = sum(job.month.runs for job in found.jobs)
    jobs = f"{len(found.jobs):,} job{'' if len(found.jobs) == 1 else 's'}"
    screen.line(f"{money(found.dollars)} a month in {found.prices.region}: {jobs}, {count(runs)} runs")
    screen.line("")
    rows = [
        [line.unit.value.service, line.unit.value.called, count(line.amount), _price(line), _dollars(line)]
        for line in found.lines
    ]
    screen.table(["service", "what", "a month", "price", "dollars"], rows)
    screen.line("")
    dearest = sorted(found.jobs, key=lambda job: (-job.dollars, job.job))
    shown, others = dearest[:MOST_JOBS], dearest[MOST_JOBS:]
    cells = [[job.job, count(job.month.runs), money(job.dollars)] for job in shown]
    if others:
        cells.append([f"{len(others):,} others", count(sum(job.month.runs for job in others)), money(_sum(others))])
    idle = found.prices.cost(found.idle) + found.prices.cost(found.metrics)
    cells.append(["(the stack itself)", "-", money(idle)])
    screen.table(["job", "runs a month", "dollars"], cells)


def data(found: Estimate, assumed: Sequence[str], notes: Sequence[str]) -> dict[str, Any]:
    """The estimate as JSON, with all jobs; figures rounded to a millionth."""
    return {
        "region": found.prices.region,
        "prices": {"as_of": found.prices.as_of, "source": found.prices.source},
        "month_hours": MONTH.total_seconds() / 3600,
        "dollars": round(found.dollars, 6),
        "services": {service: round(dollars, 6) for service, dollars in found.services.items()},
        "lines": [
            {
                "service": line.unit.value.service,
                "what": line.unit.key,
                "amount": round(line.amount, 6),
                "per": line.unit.value.per,
                "price": line.price,
                "dollars": None if line.dollars is None else round(line.dollars, 6),
            }
            for line in found.lines
        ],
        "idle_dollars": round(found.prices.cost(found.idle) + found.prices.cost(found.metrics), 6),
        "jobs": [
            {
                "job": job.job,
                "runs": round(job.month.runs, 6),
                "dollars": round(job.dollars, 6),
                "usage": {unit.key: round(amount, 6) for unit, amount in job.usage.amounts.items()},
            }
            for job in found.jobs
        ],
        "assumed": list(assumed),
        "notes": list(notes),
    }


def money(dollars: float) -> str:
    """Dollars and cents, or `< $0.01`."""
    return "< $0.01" if 0 < dollars < 0.005 else f"${dollars:,.2f}"


def count(amount: float) -> str:
    """A whole number, or three significant digits."""
    if amount >= 100 or amount == round(amount):
        return f"{amount:,.0f}"
    return f"{amount:.3g}"


def _sum(jobs: Sequence[Any]) -> float:
    return float(sum(job.dollars for job in jobs))


def _price(line: Line) -> str:
    if line.price is None:
        return "unknown"
    return f"{line.price:g} a million" if line.unit.value.per > 1 else f"{line.price:g}"


def _dollars(line: Line) -> str:
    return "-" if line.dollars is None else money(line.dollars)
