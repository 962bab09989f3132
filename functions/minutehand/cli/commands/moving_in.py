"""The command `import`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from minutehand.cli.command import Session, command
from minutehand.cli.documents.exports import NOTHING_IMPORTED, read_completion, read_exports, unfit
from minutehand.cli.documents.files import STDIN
from minutehand.cli.documents.written_jobs import write_jobs
from minutehand.cli.failures import Failure, failure
from minutehand.cli.params import files_argument, header
from minutehand.cli.screen.render import Screen
from minutehand.schedule import ScheduleError
from minutehand.schedule.zones import check_zone
from minutehand.tools.importers.drafts import Draft, Terms
from minutehand.tools.importers.naming import is_name
from minutehand.tools.importers.report import report_document, report_lines
from minutehand.tools.importers.running import Import, run_import
from minutehand.tools.importers.systems import SYSTEMS


class _System(click.Choice[str]):
    """A system to import from."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name of a system. A backup of Minutehand itself is named, too, with the command that takes it."""
        if value == "minutehand":
            self.fail("a backup that `minutehand export` wrote is saved with `minutehand restore FILE`", param, ctx)
        return super().convert(value, param, ctx)


@command(
    "import",
    examples=[
        "import eventbridge nightly.json --to jobs.yaml",
        "import kubernetes cronjobs.yaml --target targets.yaml",
    ],
)
@click.argument("system", type=_System(list(SYSTEMS)), metavar="SYSTEM")
@files_argument("An export: a file, a folder of them, or - for stdin. Repeatable.", required=True)
@click.option("--to", metavar="FILE", help="Write the jobs to a file. [default: stdout]")
@click.option("-n", "--namespace", help="The namespace of the jobs. [default: default; Kubernetes: the CronJob's]")
@click.option("--timezone", default="UTC", show_default=True, help="The time zone of schedules whose export says none.")
@click.option("--target", metavar="FILE", help="A YAML or JSON file with targets by the name of a job, entry or task.")
@click.option(
    "--url-template", metavar="URL", help="A URL for all other targets; may hold {name}, {namespace}, {task}."
)
@click.option(
    "--header", "headers", multiple=True, type=header, metavar="'NAME: VALUE'", help="A header for it; repeatable."
)
def import_command(
    session: Session,
    screen: Screen,
    *,
    system: str,
    files: tuple[str, ...],
    to: str | None,
    namespace: str | None,
    timezone: str,
    target: str | None,
    url_template: str | None,
    headers: tuple[tuple[str, str], ...],
) -> None:
    """Turn another scheduler's export into jobs as YAML, with a report of what is carried over, changed, or not possible.

    SYSTEM is eventbridge, dkron, xxl-job, celery or kubernetes. Nothing is saved: complete the targets, then save the jobs with
    `minutehand apply`. A backup of Minutehand itself is saved with `minutehand restore`.
    """
    _check_options(namespace, timezone)
    if STDIN in files and target == STDIN:
        raise click.UsageError("FILE and --target cannot both be stdin")
    exported = read_exports(SYSTEMS[system], files, sys.stdin.buffer)
    completion = read_completion(target, sys.stdin.buffer, url=url_template, headers=headers)
    terms = Terms(namespace=namespace, timezone=timezone, now=session.now())
    done = run_import(SYSTEMS[system], exported, terms, completion)
    if not done.kept:
        raise _nothing(done)
    if done.unused:
        raise unfit(done.unused, target)
    text = _yaml(done)
    if to is not None:
        _write(to, text)
    if screen.as_json:
        screen.data({"jobs": [draft.document for draft in done.kept], "report": report_document(done)})
        return
    if to is None:
        screen.text(text)
    for line in report_lines(done):
        if to is None:
            screen.note(line)
        else:
            screen.line(line)


def _check_options(namespace: str | None, timezone: str) -> None:
    if namespace is not None and not is_name(namespace):
        raise click.UsageError(
            f"--namespace: {namespace!r:.60} is not a valid name; write 1 to 128 of a-z, 0-9, ., _ and -, the first a letter or digit"
        )
    try:
        check_zone(timezone)
    except ScheduleError as error:
        raise click.UsageError(f"--timezone: {error.message} ({error.hint})") from error


def _yaml(done: Import) -> str:
    heading = [
        f"Jobs imported from {done.system.title}. `minutehand apply` saves them, once their targets are complete."
    ]
    ending = [
        f"left out: {draft.source} ({draft.place}): {draft.refused.field}: {draft.refused.reason}"
        for draft in done.drafts
        if draft.refused is not None
    ]
    return write_jobs(heading, [(_comments(draft), draft.document) for draft in done.kept], ending)


def _comments(draft: Draft) -> Sequence[str]:
    fields = draft.to_complete()
    task = f" (it ran {draft.task})" if draft.task else ""
    return [
        f"from {draft.source} ({draft.place})",
        *([f"to be completed: {', '.join(fields)}{task}"] if fields else []),
    ]


def _write(to: str, text: str) -> None:
    try:
        Path(to).write_text(text, encoding="utf-8")
    except OSError as error:
        field = {"path": to, "message": f"it cannot be written: {error.strerror}", "hint": None}
        raise failure("unwritable file", NOTHING_IMPORTED, errors=[field]) from error


def _nothing(done: Import) -> Failure:
    errors: list[dict[str, Any]] = [
        {"path": f"{draft.place} {draft.source}".strip(), "message": f"{draft.refused.field}: {draft.refused.reason}"}
        for draft in done.drafts
        if draft.refused is not None
    ]
    return failure("nothing to import", f"no job can be made of this; {NOTHING_IMPORTED}", errors=errors)
