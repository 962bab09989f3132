"""The command `runs`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

import click

from minutehand.cli.command import Session, command, full_name
from minutehand.cli.params import OneOrMore, Whole, interval_options, label_option
from minutehand.cli.screen.folding import Folding
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.run_text import outcome
from minutehand.cli.screen.styles import STATE_STYLES, state_text
from minutehand.cli.screen.times import in_utc, milliseconds
from minutehand.cli.similar import meant_namespace
from minutehand.client import Client, Page, Run, follow_runs, is_due
from minutehand.client.calls import DEFAULT_NAMESPACE, take
from minutehand.client.models import FINISHED

LONGEST_STATE = 9
_MEANT: Mapping[str, frozenset[str]] = {
    "active": frozenset(STATE_STYLES) - FINISHED,
    "attention": frozenset({"failed", "timed_out", "lost"}),
}
"""The states that a word stands for."""
_RUNS_IN = {
    "": "runs",
    "active": "runs that have not ended",
    "attention": "runs that failed, timed out or were lost",
}
CLAIMED_AHEAD = timedelta(minutes=15)
"""How far ahead of its instant a tick may claim a run: the longest look-ahead."""


class States(NamedTuple):
    """The states of the runs to list.

    Attributes:
        given: the words on the command line.
        asked: what the API is asked for: it knows one state, or one word for several; None for all.
        wanted: which of the runs it answers are shown; None for all of them.
    """

    given: tuple[str, ...]
    asked: str | None
    wanted: frozenset[str] | None

    @classmethod
    def of(cls, words: Iterable[str]) -> "States":
        """The states that words mean: all of them together, or every state without a word."""
        given = tuple(dict.fromkeys(words))
        if len(given) < 2:
            return cls(given, next(iter(given), None), None)
        wanted = frozenset[str]().union(*(_MEANT.get(word, {word}) for word in given))
        return cls(given, next((word for word, states in _MEANT.items() if wanted <= states), None), wanted)

    def has(self, run: Run) -> bool:
        """Whether a run that the API answered is shown."""
        return self.wanted is None or run["state"] in self.wanted

    def words(self) -> str:
        """Runs in these states, as part of a sentence."""
        joined = " or ".join(self.given)
        return _RUNS_IN.get(joined, f"{joined} runs")


@command(
    "runs",
    examples=["runs shop/report --state failed", "runs shop/report --follow", "runs -A --state attention --since 1d"],
)
@click.argument("job", required=False, metavar="[JOB]")
@click.option("-n", "--namespace", help=f"The namespace, of JOB or of all runs to list. [default: {DEFAULT_NAMESPACE}]")
@click.option(
    "-A", "--all-namespaces", "every", is_flag=True, help="Without JOB: all namespaces that the token may see."
)
@label_option("Without JOB: only runs of jobs that have this label now; repeat it for jobs with all of several.")
@click.option("--target", metavar="TYPE", help="Without JOB: only runs with this type of target.")
@interval_options("the runs' instants. Without JOB, the last 24 hours by default")
@click.option("--limit", type=Whole(min=1), default=20, show_default=True, help="Maximum number of runs, newest first.")
@click.option("--cursor", help='Continue a list with older runs: the "next" in the JSON of its last page.')
@click.option(
    "-s",
    "--state",
    "given",
    type=OneOrMore(["active", "attention", *STATE_STYLES]),
    multiple=True,
    help="Only runs in these states, joined by commas; active for all that have not ended, attention for failed, timed_out and lost.",
)
@click.option("--upcoming", is_flag=True, help="Include runs claimed ahead, which wait for their instant.")
@click.option("-f", "--follow", is_flag=True, help="Keep printing runs that become due or change state, until Ctrl-C.")
def runs_command(
    session: Session,
    screen: Screen,
    *,
    job: str | None,
    namespace: str | None,
    every: bool,
    labels: Sequence[tuple[str, str]],
    target: str | None,
    start: datetime | None,
    end: datetime | None,
    limit: int,
    cursor: str | None,
    given: Sequence[tuple[str, ...]],
    upcoming: bool,
    follow: bool,
) -> None:
    """List the due runs of a job, newest first; without JOB those of a namespace, or of all. With --follow, print a job's runs oldest
    first, then every change.
    """
    if job is None:
        _require_job(follow=follow)
    else:
        _refuse_with_job(every=every, labels=labels, target=target)
        job = full_name(job, namespace)
    if every and namespace is not None:
        raise click.UsageError("--all-namespaces and --namespace exclude each other: remove one of them")
    if follow and not (start is None and end is None):
        raise click.UsageError("--follow starts with the newest runs: remove --since and --until")
    if follow and cursor is not None:
        raise click.UsageError("--follow starts with the newest runs: remove --cursor")
    if follow and given:
        raise click.UsageError("--follow prints every change of state: remove --state")
    if follow and upcoming:
        raise click.UsageError("--follow prints each run when it is due: remove --upcoming")
    now, folding, states = session.now(), Folding(), States.of(word for words in given for word in words)
    whole = screen.as_json or bool(given) or job is None
    with session.connect() as client:
        if follow and job is not None:
            _follow(session, screen, client, job, limit)
            return
        if job is None:
            where = None if every else namespace or DEFAULT_NAMESPACE
            ahead = now + CLAIMED_AHEAD if upcoming else None
            fetch: Callable[..., Page[Run]] = partial(
                client.all_runs_page,
                namespace=where,
                labels=dict(labels),
                target=target,
                state=states.asked,
                start=start,
                end=end or ahead,
            )
        else:
            fetch = partial(client.runs_page, job, state=states.asked, start=start, end=end)
        page = take(
            lambda size, at: fetch(limit=size, cursor=at),
            limit=limit,
            cursor=cursor,
            keep=lambda run: states.has(run) and (upcoming or is_due(run, now)) and (whole or folding.keep(run)),
        )
        whose, meant = job or "", ""
        if job is None and not (page["items"] or screen.as_json):
            whose, meant = _nowhere(client, None if every else namespace or DEFAULT_NAMESPACE)
    runs = states.words()
    what = runs if every else f"no {runs}"
    screen.page(
        page,
        ["scheduled for (UTC)", *([] if job else ["job"]), "state", "try", "late", "took", "run", "outcome"],
        lambda run: [
            in_utc(run.get("scheduled_for")),
            *([] if job else [run["job"]]),
            state_text(run["state"]),
            str(run.get("attempt", "-")),
            milliseconds(run.get("lateness_ms")),
            milliseconds(run.get("duration_ms")),
            run["run_id"],
            f"{outcome(run, now)}{folding.more(run)}",
        ],
        empty=f"{whose} has {what}{_which(job, start, labels, upcoming=upcoming)}{meant}",
    )


def _nowhere(client: Client, namespace: str | None) -> tuple[str, str]:
    """Where runs were looked for and none was found, and which other namespace may be meant; None is for all that the token may read."""
    if namespace is not None:
        return f"namespace {namespace}", meant_namespace(client, namespace)
    names = client.own_token()["namespaces"]
    readable = f"none of the namespaces that this token may read ({', '.join(names)})"
    return "no namespace" if names == ["*"] else readable, ""


def _which(job: str | None, start: datetime | None, labels: Sequence[tuple[str, str]], *, upcoming: bool) -> str:
    """Which runs were looked for, for the note about an empty list."""
    if job is not None and start is None:
        return "" if upcoming else " that are due yet"
    return f"{' like that' if labels else ''} {'in the last 24 hours' if start is None else 'in this interval'}"


def _require_job(*, follow: bool) -> None:
    if follow:
        raise click.UsageError("--follow prints the runs of one job: give JOB")


def _refuse_with_job(*, every: bool, labels: Sequence[tuple[str, str]], target: str | None) -> None:
    given = {"--all-namespaces": every, "--label": labels, "--target": target}
    if wrong := [name for name, value in given.items() if value]:
        raise click.UsageError(f"{wrong[0]} chooses among jobs, and JOB names one: remove either")


def _follow(session: Session, screen: Screen, client: Client, job: str, first: int) -> None:
    try:
        with closing(follow_runs(client, job, first=first, sleep=session.sleep, now=session.now)) as events:
            for run in events:
                if screen.as_json:
                    screen.event(run)
                else:
                    screen.line(
                        in_utc(run.get("scheduled_for")),
                        state_text(run["state"], LONGEST_STATE),
                        f"attempt {run.get('attempt', '-')}",
                        f"late {milliseconds(run.get('lateness_ms')):>7}",
                        f"took {milliseconds(run.get('duration_ms')):>7}",
                        run["run_id"],
                        outcome(run, session.now()),
                    )
    except KeyboardInterrupt:
        screen.note("")
