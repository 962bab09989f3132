"""The command `crontab import`."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click

from minutehand.cli.command import Session, command
from minutehand.cli.documents.bulk_apply import (
    WOULD,
    check_all,
    delete_all,
    print_items,
    print_warnings,
    results_document,
    save_all,
)
from minutehand.cli.documents.crontab_files import Found, read_crontabs, read_lines
from minutehand.cli.documents.files import STDIN, Document, read_template
from minutehand.cli.failures import failure
from minutehand.cli.params import header
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc
from minutehand.cli.screen.words import counted
from minutehand.client import Applied, Client, Job, JobSummary
from minutehand.client.calls import DEFAULT_NAMESPACE
from minutehand.schedule import ScheduleError
from minutehand.schedule.zones import check_zone
from minutehand.tools.crontab.commands import command_of, is_run_by_agents
from minutehand.tools.crontab.documents import SOURCE, TemplateFault, is_from, make_template
from minutehand.tools.crontab.planning import Placed, plan_import


@command(
    "import",
    examples=[
        "crontab import web.crontab --pool web --dry-run",
        'crontab import /etc/cron.d --url "https://ops.example.com/{user}" --dry-run',
    ],
)
@click.argument("file", metavar="FILE|DIR")
@click.option("--pool", help="The pool of the namespace whose agents run the commands.")
@click.option("--url", help="The URL that each run calls; may contain {name}, {user} and {source}.")
@click.option("--method", help="The HTTP method. [default: POST]")
@click.option(
    "--header", "headers", multiple=True, type=header, metavar="'NAME: VALUE'", help="An HTTP header; repeatable."
)
@click.option("--template", metavar="FILE", help="A YAML or JSON file with fields for all jobs.")
@click.option("-n", "--namespace", help="The namespace of the jobs. [default: default]")
@click.option("--source", help="The crontab's name in the jobs' labels. [default: the file's name]")
@click.option("--timezone", help="The time zone of lines without one. [default: UTC]")
@click.option(
    "--system/--no-system", default=None, help="Whether the crontab has a user column. [default: by its location]"
)
@click.option("--user", help="The owner of a crontab without a user column.")
@click.option("--prune", is_flag=True, help="Delete jobs whose lines are gone; by default they are only listed.")
@click.option("--dry-run", is_flag=True, help="Validate everything and show what would change; save nothing.")
def import_command(
    session: Session,
    screen: Screen,
    *,
    file: str,
    pool: str | None,
    url: str | None,
    method: str | None,
    headers: tuple[tuple[str, str], ...],
    template: str | None,
    namespace: str | None,
    source: str | None,
    timezone: str | None,
    system: bool | None,
    user: str | None,
    prune: bool,
    dry_run: bool,
) -> None:
    """Save each line of a crontab as a job, whose command an agent runs (--pool) or a service behind a URL (--url).

    FILE is a crontab, a folder such as /etc/cron.d, or - for stdin. Importing it again saves its changes. All lines are read
    first, then the API validates every job; nothing is saved unless all are valid.
    """
    if template == file == STDIN:
        raise click.UsageError("FILE and --template cannot both be stdin")
    _check_zone(timezone)
    found = read_crontabs(file, sys.stdin.buffer, system=system, source=source)
    fields = {} if template is None else read_template(template, sys.stdin.buffer)
    with _template_failures():
        made = make_template(fields, url=url, method=method, headers=headers, pool=pool)
    within = _namespace(namespace, fields.get("namespace"))
    if timezone is None and isinstance(made.get("timezone"), str):
        timezone = made["timezone"]
    for_agents = is_run_by_agents(made["target"])
    lines = read_lines(found, screen, user=user, timezone=timezone, local_zone=session.local_zone, at_start=for_agents)
    with session.connect() as client:
        jobs = list(client.list_jobs(within))
        ours = [job for job in jobs if _is_of(found, job)]
        with _template_failures():
            plan = plan_import(lines, jobs, ours=ours, template=made, namespace=within, reuse=prune)
        documents = [
            Document(place=line.place, job=f"{content['namespace']}/{content['name']}", content=content)
            for line, content in zip(lines, plan.documents, strict=True)
        ]
        gone = [_item(job, "deleted" if prune else "gone") for job in ours if job["name"] in set(plan.gone)]
        plans = check_all(screen, client, documents, shared_field=None if for_agents else "target")
        if dry_run:
            _preview(screen, [_saved_item(each) for each in plans] + gone)
            print_warnings(screen, plans, documents)
            _note_missing(screen, gone)
            screen.note("nothing was saved: --dry-run")
        else:
            _save(screen, client, documents, plans, gone)
    if for_agents:
        _note_mail(screen, lines)


def _save(
    screen: Screen, client: Client, documents: Sequence[Document], plans: Sequence[Applied], gone: list[dict[str, Any]]
) -> None:
    """Save the jobs of the lines, then delete jobs whose lines are gone. Prints what was done, also after a failure or Ctrl-C."""
    changes = save_all(screen, client, documents, plans)
    saved = [_saved_item(each) for each in changes.done]
    changed = [each for each in changes.done if each["result"] != "unchanged"]
    if not changes.complete:
        print_items(screen, "job", saved)
        print_warnings(screen, changed, documents)
        screen.note(f"{len(saved)} of {counted(changes.total, 'job')} saved as in the lines; import again to continue")
        changes.end()
    deletions = delete_all(screen, client, [item["job"] for item in gone if item["result"] == "deleted"])
    deleted = set(deletions.done)
    print_items(screen, "job", [*saved, *(item for item in gone if item["result"] == "gone" or item["job"] in deleted)])
    print_warnings(screen, changed, documents)
    _note_missing(screen, gone)
    deletions.end()


def _preview(screen: Screen, items: Sequence[Mapping[str, Any]]) -> None:
    if screen.as_json:
        screen.data(results_document(items, dry_run=True))
        return
    screen.table(
        ["job", "would", "schedule", "time zone", "next run (UTC)", "command"],
        [
            [
                item["job"],
                WOULD.get(item["result"], item["result"]),
                item["schedule"],
                item["timezone"],
                in_utc(item["next_run_at"]),
                item["command"] or "-",
            ]
            for item in items
        ],
    )


def _note_missing(screen: Screen, gone: Sequence[Mapping[str, Any]]) -> None:
    left = [item["job"] for item in gone if item["result"] == "gone"]
    if left:
        one, several = "its line is gone, but the job still runs", "their lines are gone, but the jobs still run"
        screen.note(f"{', '.join(left)}: {one if len(left) == 1 else several}; --prune deletes such jobs")


def _note_mail(screen: Screen, lines: Sequence[Placed]) -> None:
    """Say what becomes of MAILTO, to which cron mails what a command writes."""
    asked = sorted({to for each in lines if (to := each.line.environment.get("MAILTO"))})
    if asked:
        screen.note(
            f"MAILTO={', '.join(asked)}: cron mails there what a command writes. Here each run keeps that, and nobody is mailed; the "
            "commands still get the variable, and their jobs the owner"
        )


def _saved_item(applied: Applied) -> dict[str, Any]:
    about = {"command": command_of(applied["job"]), "warnings": applied["warnings"]}
    return _item(applied["job"], applied["result"]) | about


def _item(job: Job | JobSummary, result: str) -> dict[str, Any]:
    return {
        "job": f"{job['namespace']}/{job['name']}",
        "result": result,
        "revision": job["status"]["revision"],
        "schedule": job.get("schedule", "-"),
        "timezone": job.get("timezone", "-"),
        "next_run_at": job["status"].get("next_run_at"),
        "command": None,
        "warnings": [],
    }


def _is_of(found: Found, job: JobSummary) -> bool:
    """Whether the job is from the imported crontab, or from any file of the imported folder."""
    labels = job.get("labels") or {}
    return is_from(labels, found.scope) if found.whole_folder else labels.get(SOURCE) == found.scope


def _check_zone(timezone: str | None) -> None:
    if timezone is None:
        return
    try:
        check_zone(timezone)
    except ScheduleError as error:
        raise click.UsageError(f"--timezone: {error.message} ({error.hint})") from error


def _namespace(given: str | None, in_template: object) -> str:
    if in_template is not None and not isinstance(in_template, str):
        raise click.UsageError("the template's namespace is not text")
    if given is not None and in_template and given != in_template:
        raise click.UsageError(
            f"the template is for namespace {in_template!r}, but --namespace says {given!r}: leave one of them out"
        )
    return given or in_template or DEFAULT_NAMESPACE


@contextmanager
def _template_failures() -> Iterator[None]:
    try:
        yield
    except TemplateFault as error:
        field = {"path": error.path, "message": error.message, "hint": error.hint}
        detail = "no job can be made of this; nothing was saved"
        raise failure("invalid template", detail, errors=[field]) from error
