"""The command `cost`."""

import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from minutehand.cli.command import Session, command
from minutehand.cli.documents.cost_inputs import actual_months, calendars_in, calendars_of, definitions_in, jobs_of
from minutehand.cli.documents.files import STDIN
from minutehand.cli.failures import failure
from minutehand.cli.params import Percentage, Whole, call_time, files_argument
from minutehand.cli.screen.render import Screen
from minutehand.client.calls import DEFAULT_NAMESPACE
from minutehand.tools.costs.estimate import Estimate, assumptions, estimate, remarks
from minutehand.tools.costs.forecast import Assumed, forecast
from minutehand.tools.costs.model import CALL_SECONDS
from minutehand.tools.costs.prices import PriceBook, PriceError, PriceList, read_prices, shipped_prices
from minutehand.tools.costs.units import MONTH

DAYS = 7
MOST_JOBS = 20


@command("cost", examples=["cost -n shop --region eu-west-1", "cost jobs/ --duration 2s"])
@files_argument("A file or a folder of jobs, as for apply, or - for stdin. Repeatable.")
@click.option(
    "-n",
    "--namespace",
    "namespaces",
    multiple=True,
    help="Price the jobs of this namespace; repeatable. With FILE: the namespace of jobs without one. [default: default]",
)
@click.option(
    "--calendars",
    "calendar_files",
    multiple=True,
    metavar="FILE|DIR",
    help="With FILE: the calendars of its jobs, as for `calendar apply`; repeatable.",
)
@click.option("--timezone", help="With --calendars: the IANA time zone of iCalendar events without one.")
@click.option("--region", default="us-east-1", show_default=True, help="The AWS region of the prices.")
@click.option("--prices", type=click.Path(dir_okay=False), help="A price file in JSON. [default: the package's]")
@click.option(
    "--duration", type=call_time, metavar="DURATION", help="Duration of a call, such as 300ms or 2s. [default: 300ms]"
)
@click.option("--failures", type=Percentage(), help="Percentage of failing attempts. [default: 0]")
@click.option("--answer", type=Whole(min=0), default=0, show_default=True, help="Size of a target's answer, in bytes.")
@click.option("--actual", is_flag=True, help="Extrapolate from past runs instead of schedules.")
@click.option("--days", type=Whole(1, 365), help=f"Number of past days for --actual. [default: {DAYS}]")
def cost_command(
    session: Session,
    screen: Screen,
    *,
    files: tuple[str, ...],
    namespaces: tuple[str, ...],
    calendar_files: tuple[str, ...],
    timezone: str | None,
    region: str,
    prices: str | None,
    duration: float | None,
    failures: float | None,
    answer: int,
    actual: bool,
    days: int | None,
) -> None:
    """Estimate the cost of jobs in the coming month on AWS: jobs in files, as for `apply`, or those of the API.

    The estimate is computed locally from the measured usage of each step, not from a bill. Free tiers are not included.
    """
    _check(files, namespaces, calendar_files, timezone, duration=duration, failures=failures, actual=actual, days=days)
    price_list = _price_list(prices, region)
    assumed = Assumed(
        seconds=CALL_SECONDS if duration is None else duration, failures=(failures or 0) / 100, answer=answer
    )
    now = session.now().replace(microsecond=0)
    past = timedelta(days=days or DAYS) if actual else None
    if files:
        namespace = next(iter(namespaces), None)
        jobs = definitions_in(files, sys.stdin.buffer, namespace=namespace)
        known = calendars_in(
            calendar_files, sys.stdin.buffer, namespace=namespace, timezone=timezone, now=now, note=screen.note
        )
        months = forecast(jobs, now, assumed, known)
    else:
        with session.connect() as client:
            jobs = jobs_of(screen, client, namespaces or (DEFAULT_NAMESPACE,))
            known = {} if past else calendars_of(screen, client, jobs)
            months = actual_months(screen, client, jobs, past, now) if past else forecast(jobs, now, assumed, known)
    found = estimate(jobs, months, price_list, now - past if past else now, answer=answer, calendars=known)
    basis = assumptions(assumed, past, saved=not files)
    notes = remarks(jobs, found, now, known, counted=past is not None)
    if screen.as_json:
        screen.data(_data(found, basis, notes))
    else:
        _show(screen, found)
        for text in (*basis, *notes):
            screen.note(text)
        if not jobs:
            screen.note(
                f"there are no jobs in {', '.join(namespaces or (DEFAULT_NAMESPACE,))}: this is the stack itself"
            )


def _check(
    files: tuple[str, ...],
    namespaces: tuple[str, ...],
    calendar_files: tuple[str, ...],
    timezone: str | None,
    *,
    duration: float | None,
    failures: float | None,
    actual: bool,
    days: int | None,
) -> None:
    contradictions = (
        (files and actual, "leave FILE out: --actual uses the runs of the API's jobs"),
        (files and len(namespaces) > 1, "with FILE, give --namespace once: it is for jobs without one"),
        (calendar_files and not files, "leave --calendars out: without FILE they come from the API"),
        (timezone is not None and not calendar_files, "--timezone goes with --calendars"),
        (STDIN in calendar_files, "--calendars must be files; only FILE may be -"),
        (days is not None and not actual, "--days goes with --actual"),
        (actual and duration is not None, "leave --duration out: --actual takes it from the runs"),
        (actual and failures is not None, "leave --failures out: --actual takes it from the runs"),
    )
    for contradictory, message in contradictions:
        if contradictory:
            raise click.UsageError(message)


def _price_list(path: str | None, region: str) -> PriceList:
    """The price list. Raises Failure (exit 2) for an unreadable file or an unknown region."""
    try:
        book = shipped_prices() if path is None else _own(path)
        return book.region(region)
    except PriceError as error:
        place = "" if path is None else f"{path}: "
        raise failure("no such prices", f"{place}{error.message}", hint=error.hint or None) from error


def _own(path: str) -> PriceBook:
    try:
        return read_prices(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise PriceError(f"it cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PriceError(f"it is not UTF-8: byte {error.start + 1}", hint="save it as UTF-8") from error


def _show(screen: Screen, found: Estimate) -> None:
    runs = sum(job.month.runs for job in found.jobs)
    jobs = f"{len(found.jobs):,} job{'' if len(found.jobs) == 1 else 's'}"
    screen.line(
        f"{_money(found.dollars)} a month in {found.prices.region}: {jobs}, {_count(runs)} {'run' if runs == 1 else 'runs'}"
    )
    screen.line("")
    rows = []
    for line in found.lines:
        dollars = "-" if line.dollars is None else _money(line.dollars)
        million = " a million" if line.unit.value.per > 1 else ""
        price = "unknown" if line.price is None else f"{line.price:g}{million}"
        rows.append([line.unit.value.service, line.unit.value.called, _count(line.amount), price, dollars])
    screen.table(["service", "what", "a month", "price", "dollars"], rows)
    screen.line("")
    dearest = sorted(found.jobs, key=lambda job: (-job.dollars, job.job))
    shown, others = dearest[:MOST_JOBS], dearest[MOST_JOBS:]
    cells = [[job.job, _count(job.month.runs), _money(job.dollars)] for job in shown]
    if others:
        their_runs, their_dollars = sum(job.month.runs for job in others), sum(job.dollars for job in others)
        cells.append(
            ["1 other" if len(others) == 1 else f"{len(others):,} others", _count(their_runs), _money(their_dollars)]
        )
    idle = found.prices.cost(found.idle) + found.prices.cost(found.metrics)
    cells.append(["(the stack itself)", "-", _money(idle)])
    screen.table(["job", "runs a month", "dollars"], cells)


def _data(found: Estimate, assumed: Sequence[str], notes: Sequence[str]) -> dict[str, Any]:
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


def _money(dollars: float) -> str:
    """An amount in dollars as text: with cents, such as `$1.25`, or `< $0.01`."""
    return "< $0.01" if 0 < dollars < 0.005 else f"${dollars:,.2f}"


def _count(amount: float) -> str:
    """An amount as text: a whole number, or one with three significant digits."""
    if amount >= 100 or amount == round(amount):
        return f"{amount:,.0f}"
    return f"{amount:.3g}"
