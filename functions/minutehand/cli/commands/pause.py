"""The commands `pause` and `resume`."""

import functools
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Literal, TypeVar

import click

from minutehand.cli.command import Session, command, complete_job, full_name
from minutehand.cli.params import label_option, until_option
from minutehand.cli.screen.job_text import next_run
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc
from minutehand.cli.screen.words import counted
from minutehand.client import Client, Job
from minutehand.client.calls import DEFAULT_NAMESPACE

F = TypeVar("F", bound=Callable[..., Any])
Chosen = Callable[[Client], Sequence[str]]
"""Finds the names of the jobs that a command line means."""


def _jobs_or_labels(function: F) -> F:
    """Add JOB, or instead of it `--label`, with `--namespace` and `--all-namespaces`. The function gets `chosen`, a `Chosen`, and `alone`:
    whether JOB names one job."""

    @functools.wraps(function)
    def run(
        *given: Any, job: str | None, namespace: str | None, every: bool, labels: Sequence[tuple[str, str]], **rest: Any
    ) -> Any:
        if (job is None) == (not labels):
            raise click.UsageError("name one job, or choose jobs by their labels with -l, such as -l team=data")
        if every and (job is not None or namespace is not None):
            raise click.UsageError("--all-namespaces goes with --label alone: remove JOB and --namespace")
        name = None if job is None else full_name(job, namespace)

        def chosen(client: Client) -> Sequence[str]:
            if name is not None:
                return [name]
            wanted = dict(labels)
            within = namespace or DEFAULT_NAMESPACE
            found = client.list_all_jobs(labels=wanted) if every else client.list_jobs(within, labels=wanted)
            return [f"{each['namespace']}/{each['name']}" for each in found]

        return function(*given, chosen=chosen, alone=name is not None, **rest)

    where = click.option("-n", "--namespace", help=f"The namespace. [default: {DEFAULT_NAMESPACE}]")
    all_of = click.option("-A", "--all-namespaces", "every", is_flag=True, help="With --label: in all namespaces.")
    label = label_option("Instead of JOB: all jobs with this label; repeat it for jobs with all of several.")
    return click.argument("job", metavar="[JOB]", required=False, shell_complete=complete_job)(
        label(where(all_of(run)))
    )  # type: ignore[return-value]  # the same function to click


@command(
    "pause",
    examples=[
        "pause shop/report --until 2h",
        'pause shop/report --until "monday 9:00" --timezone Europe/Paris',
        "pause -A -l team=data",
    ],
)
@_jobs_or_labels
@until_option
def pause_command(session: Session, screen: Screen, *, chosen: Chosen, alone: bool, until: datetime | None) -> None:
    """Pause a job's schedule, or those of all jobs with a label, until `resume` or until an instant. Runs that have started continue."""
    with session.connect() as client:
        _each(screen, "paused", chosen(client), lambda job: client.pause(job, until=until), alone=alone)


@command("resume", examples=["resume shop/report", "resume shop/report --catch-up all", "resume -A -l team=data"])
@_jobs_or_labels
@click.option(
    "--catch-up",
    type=click.Choice(["skip", "latest", "all"]),
    default="skip",
    show_default=True,
    help="Which occurrences missed during the pause a backfill replays.",
)
def resume_command(
    session: Session, screen: Screen, *, chosen: Chosen, alone: bool, catch_up: Literal["skip", "latest", "all"]
) -> None:
    """Resume a paused job's schedule, or those of all jobs with a label. Missed occurrences are dropped unless --catch-up replays them."""
    with session.connect() as client:
        jobs = chosen(client)
        was_paused = alone and catch_up != "skip" and client.get_job(jobs[0])["paused"]
        resumed = _each(screen, "resumed", jobs, lambda job: client.resume(job, catch_up=catch_up), alone=alone)
    for each in resumed:
        if backfill := each.get("backfill"):
            replayed = counted(backfill["occurrences"], "occurrence")
            screen.note(f"backfill {backfill['id']} replays {replayed}{'' if alone else f' of {_name(each)}'}")
        elif catch_up != "skip" and alone:
            why = "the job's present schedule names no instant in the pause" if was_paused else "the job was not paused"
            screen.note(f"nothing to replay: {why}")


def _each(screen: Screen, did: str, jobs: Sequence[str], do: Callable[[str], Job], *, alone: bool) -> list[Job]:
    """Do it to each job, and print each job after it; as JSON all at the end, also those before a failure."""
    done: list[Job] = []
    try:
        for job in jobs:
            done.append(do(job))
            if not screen.as_json:
                screen.line(did, _name(done[-1]), *_end(done[-1]), ": ".join(next_run(done[-1])))
    finally:
        if screen.as_json and not alone:
            screen.data({"items": done})
        elif len(done) < len(jobs) and not alone:
            screen.note(f"{len(done)} of {counted(len(jobs), 'job')} {did}")
    if screen.as_json and alone:
        screen.data(done[0])
    if not jobs:
        screen.note("no job has these labels")
    return done


def _end(job: Job) -> list[str]:
    """When the job's pause ends by itself; empty without such a pause."""
    paused: Any = job["paused"]
    return [f"until {in_utc(paused['until'])} UTC"] if isinstance(paused, dict) and paused.get("until") else []


def _name(job: Job) -> str:
    return f"{job['namespace']}/{job['name']}"
