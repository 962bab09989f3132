"""The command `compare`."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import click

from minutehand.cli.command import Session, command
from minutehand.cli.documents.old_logs import HowToRead, read_logs, read_mapping
from minutehand.cli.failures import Exit, failure
from minutehand.cli.parallel import parallel_results
from minutehand.cli.params import Instant, Whole, duration, namespace_options, zone_option
from minutehand.cli.screen.comparison import Findings, show_comparison
from minutehand.cli.screen.render import Screen
from minutehand.client import Client, JobSummary
from minutehand.client.calls import DEFAULT_NAMESPACE, pages
from minutehand.tools.comparing.comparison import Compared, Runs, Span, compared, count_within
from minutehand.tools.comparing.entries import MOST, Log, Times
from minutehand.tools.comparing.lines import Fields
from minutehand.tools.comparing.names import IMPORTED_NAME, Known, Names, Unknown
from minutehand.tools.comparing.reading import FORMS
from minutehand.tools.crontab.commands import command_of
from minutehand.tools.crontab.documents import SOURCE

BEGUN_LATER = timedelta(hours=1)
"""How long after its instant a run may have begun that is found."""
RUNS_AT_ONCE = 100


@command(
    "compare",
    examples=[
        "compare /var/log/syslog -n shop --map 'run-parts*=-'",
        "compare executions.json --from yesterday --tolerance 10s",
    ],
)
@click.argument("files", nargs=-1, required=True, metavar="LOG...")
@namespace_options
@click.option(
    "--map", "pairs", multiple=True, metavar="NAME=JOB", help="The job of a name in the log; repeatable. - ignores it."
)
@click.option("--map-file", metavar="FILE", help="A YAML or JSON file with such names and jobs; null ignores a name.")
@click.option("--from", "start", type=Instant(), help="Start of what is compared. [default: the log's first run]")
@click.option("--to", "end", type=Instant(), help="Its end. [default: the log's last run]")
@click.option(
    "--tolerance", type=duration, default="1m", show_default=True, help="How far apart two runs may begin that are one."
)
@click.option("--format", "form", type=click.Choice(FORMS), help="The form of the log. [default: by its first line]")
@click.option(
    "--time-field", metavar="FIELD", help="The column or JSON field with the time. [default: time, at, started_at, …]"
)
@click.option(
    "--name-field", metavar="FIELD", help="The column or JSON field with the name. [default: job, name, task, …]"
)
@zone_option("The IANA time zone of times in the log that have none. [default: UTC]")
@click.option(
    "--limit", type=Whole(0, 10_000), default=5, show_default=True, help="Most differences to show of a job and a side."
)
def compare_command(
    session: Session,
    screen: Screen,
    *,
    files: tuple[str, ...],
    namespace: str | None,
    pairs: tuple[str, ...],
    map_file: str | None,
    start: datetime | None,
    end: datetime | None,
    tolerance: float,
    form: str | None,
    time_field: str | None,
    name_field: str | None,
    timezone: str | None,
    limit: int,
) -> int:
    """Compare runs with what another scheduler did, by its log: what both ran, what one ran alone, and how far apart.

    LOG is syslog with cron's lines, CSV, lines of JSON, or a JSON document (`kubectl get jobs -o json`, dkron's executions); - is
    stdin. Runs in shadow count as runs. The exit code is 0 if both did the same, else 6.
    """
    if start is not None and end is not None and end <= start:
        raise click.UsageError("--to is not later than --from")
    near = timedelta(seconds=tolerance)
    mapped = read_mapping(pairs, map_file)
    how = HowToRead(form=form, fields=Fields(time_field, name_field), timezone=timezone or "UTC", now=session.now())
    log, unreadable = read_logs(files, how, first=start and start - near, last=end and end + near)
    covered = log.span
    if covered is None and (start is None or end is None):
        raise failure(
            "nothing to compare",
            f"the log has no line about a run: {log.passed_over:,} lines are about something else, {unreadable.count:,} cannot be read",
            hint="give --format, or --from and --to to list what ran here",
            errors=[{"path": place, "message": each.message} for place, each in unreadable.first],
        )
    first, last = covered or (start, end)
    span = Span(start or first, end or last, near)  # type: ignore[arg-type]  # one of each pair is known, as checked above
    with session.connect() as client:
        listed = client.list_all_jobs() if namespace is None else client.list_jobs(namespace)
        jobs: dict[str, Any] = {f"{job['namespace']}/{job['name']}": job for job in listed}
        extra = [job for job in sorted(_mapped_jobs(mapped, namespace or DEFAULT_NAMESPACE)) if job not in jobs]
        for found in parallel_results(screen, "reading jobs", client.get_job, extra):
            jobs[f"{found['namespace']}/{found['name']}"] = found
        asked = _Asked(client, screen, jobs, span, mapped, namespace or DEFAULT_NAMESPACE)
        named = _named(asked, log)
        each = _compared(asked, named)
    findings = Findings(span, log, each, named.unknown, named.ignored, unreadable)
    show_comparison(screen, findings, limit)
    return Exit.DONE if findings.same else Exit.DIFFERS


class _Asked(NamedTuple):
    """What is compared, and how to ask for it. jobs: their summaries by full names; mapped: see `Names`."""

    client: Client
    screen: Screen
    jobs: Mapping[str, JobSummary]
    span: Span
    mapped: Mapping[str, str]
    namespace: str


class _Named(NamedTuple):
    """The log's entries by job; the names that mean no job, each with its entries and why; and how many entries are ignored."""

    by_job: Mapping[str, Sequence[tuple[str, Times]]]
    unknown: Sequence[tuple[str, Times, str]]
    ignored: int


def _mapped_jobs(mapped: Mapping[str, str], namespace: str) -> set[str]:
    return Names((), mapped, namespace).mapped_jobs


def _named(asked: _Asked, log: Log) -> _Named:
    known = [Known(job, (summary.get("labels") or {}).get(IMPORTED_NAME, "")) for job, summary in asked.jobs.items()]
    names = Names(known, asked.mapped, asked.namespace)
    if any(isinstance(names.job_of(name), Unknown) for name, _ in log.names()):
        # A crontab's log names commands, which are in the jobs that were imported from one.
        lines = [job for job, summary in asked.jobs.items() if SOURCE in (summary.get("labels") or {})]
        whole = parallel_results(asked.screen, "reading jobs", asked.client.get_job, lines)
        commands = {f"{job['namespace']}/{job['name']}": command_of(job).strip() for job in whole}
        known = [each._replace(command=commands.get(each.job, "")) for each in known]
        names = Names(known, asked.mapped, asked.namespace)
    by_job: dict[str, list[tuple[str, Times]]] = defaultdict(list)
    unknown, ignored = [], 0
    for name, times in log.names():
        job = names.job_of(name)
        if job is None:
            ignored += count_within(times, asked.span)
        elif isinstance(job, str):
            by_job[job].append((name, times))
        elif count_within(times, asked.span):
            unknown.append((name, times, job.why))
    return _Named(by_job, unknown, ignored)


def _compared(asked: _Asked, named: _Named) -> Sequence[Compared]:
    """Every job that the log names, or that ran here, compared."""
    client, span, left = asked.client, asked.span, MOST
    start, end = span.first - BEGUN_LATER - span.tolerance, span.last + span.tolerance

    def one(job: str) -> Compared:
        nonlocal left
        runs = Runs()
        for page in pages(
            lambda limit, cursor: client.runs_page(job, limit=limit, cursor=cursor, start=start, end=end), RUNS_AT_ONCE
        ):
            left -= len(page["items"])
            if left < 0:
                raise failure("too many runs", f"more than {MOST:,} runs; compare a shorter time with --from and --to")
            for run in page["items"]:
                runs.add(run)
        return compared(job, runs, named.by_job.get(job, ()), span, asked.jobs[job].get("timezone", "UTC"))

    each = parallel_results(asked.screen, "comparing jobs", one, sorted(asked.jobs))
    return [found for found in each if found.names or found.matched.here]
