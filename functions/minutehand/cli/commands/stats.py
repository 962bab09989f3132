"""The command `stats`."""

from collections.abc import Iterator
from datetime import datetime
from typing import Literal

import click

from minutehand.cli.command import Session, command, full_name
from minutehand.cli.params import interval_options
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc, milliseconds
from minutehand.client import Percentiles, Stats, StatsBucket
from minutehand.client.calls import DEFAULT_NAMESPACE

_COLUMNS = ["from (UTC)", "runs", "succeeded", "failed", "other", "success", "took p50", "p95", "late p50", "p95"]
_BAD = ("failed", "timed_out", "lost")


@command("stats", examples=["stats shop/report --since 7d", "stats -n shop --per hour"])
@click.argument("job", required=False, metavar="[JOB]")
@click.option("-n", "--namespace", help=f"The namespace, of JOB or to count. [default: {DEFAULT_NAMESPACE}]")
@interval_options("the runs' instants. By default, the last 24 hours")
@click.option("--per", type=click.Choice(["hour", "day"]), help="Length of a row. [default: hour, above two days day]")
def stats_command(
    session: Session,
    screen: Screen,
    *,
    job: str | None,
    namespace: str | None,
    start: datetime | None,
    end: datetime | None,
    per: Literal["hour", "day"] | None,
) -> None:
    """Show how the runs of a job or a namespace ended, how long they took and how late they began, by hour or day."""
    with session.connect() as client:
        if job is None:
            whose = f"namespace {namespace or DEFAULT_NAMESPACE}"
            found = client.namespace_stats(namespace or DEFAULT_NAMESPACE, start=start, end=end, per=per)
        else:
            whose = full_name(job, namespace)
            found = client.job_stats(whose, start=start, end=end, per=per)
    if screen.as_json:
        screen.data(found)
        return
    screen.fields(list(_fields(found, whose)))
    if found["buckets"]:
        screen.line("")
        screen.table(_COLUMNS, [_row(bucket) for bucket in found["buckets"]])
    if not found["complete"]:
        screen.note(
            f"only runs after {in_utc(found['counted_from'])} UTC are counted: there are many; give a later --since"
        )


def _fields(stats: Stats, whose: str) -> Iterator[tuple[str, str]]:
    yield "of", f"{whose}, {in_utc(stats['from'])} to {in_utc(stats['to'])} UTC"
    outcomes = ", ".join(f"{count:,} {state}" for state, count in stats["outcomes"].items())
    yield "runs", f"{stats['runs']:,}{f': {outcomes}' if outcomes else ''}"
    yield "success", _percent(stats["success_rate"])
    yield "took", _percentiles(stats["duration_ms"])
    yield "late", _percentiles(stats["lateness_ms"])


def _percentiles(found: Percentiles) -> str:
    return f"p50 {milliseconds(found['p50'])}, p95 {milliseconds(found['p95'])}"


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.4g} %"


def _row(bucket: StatsBucket) -> list[str]:
    outcomes = bucket["outcomes"]
    succeeded, bad = outcomes.get("succeeded", 0), sum(outcomes.get(state, 0) for state in _BAD)
    took, late = bucket["duration_ms"], bucket["lateness_ms"]
    return [
        in_utc(bucket["start"])[:16],
        *(f"{count:,}" for count in (bucket["runs"], succeeded, bad, bucket["runs"] - succeeded - bad)),
        _percent(bucket["success_rate"]),
        *(milliseconds(value) for value in (took["p50"], took["p95"], late["p50"], late["p95"])),
    ]
