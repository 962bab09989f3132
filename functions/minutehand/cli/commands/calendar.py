"""The commands `calendar apply`, `list`, `show` and `delete`."""

import sys
from collections.abc import Iterator, Sequence

import click

from minutehand.cli.command import Session, command, confirm_delete, name_argument
from minutehand.cli.documents.bulk_apply import is_validation_error, print_items, refusal
from minutehand.cli.documents.files import Document
from minutehand.cli.params import Whole, files_argument
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc
from minutehand.cli.screen.words import counted
from minutehand.client import AppliedCalendar, Calendar, Client, Refused
from minutehand.client.calls import DEFAULT_NAMESPACE, take

KINDS = ("dates", "weekly", "periods")


@click.group("calendar", no_args_is_help=True)
def calendar_command() -> None:
    """Manage calendars: named sets of times when the jobs that use them do not run."""


_calendar_argument = name_argument("calendar", "NAME")


@command(
    "apply",
    calendar_command,
    examples=["calendar apply holidays.yaml -n shop", "calendar apply holidays.ics --timezone Europe/Paris"],
)
@files_argument("A YAML, JSON or iCalendar file, a folder of them, or - for stdin. Repeatable.", required=True)
@click.option("-n", "--namespace", help="The namespace of calendars without one. [default: default]")
@click.option("--name", help="The name of an iCalendar file's calendar. [default: the file's name]")
@click.option("--timezone", help="The IANA time zone of iCalendar events without one, such as Europe/Paris.")
@click.option("--dry-run", is_flag=True, help="Validate everything and show what would change; save nothing.")
def apply_command(
    session: Session,
    screen: Screen,
    *,
    files: tuple[str, ...],
    namespace: str | None,
    name: str | None,
    timezone: str | None,
    dry_run: bool,
) -> None:
    """Create or update calendars from files: YAML, JSON, or iCalendar (.ics). - is stdin.

    All files are read first, then the API validates every calendar; nothing is saved unless all are valid.
    """
    from minutehand.cli.documents.calendar_files import read_calendars  # noqa: PLC0415 - loads YAML

    documents = read_calendars(
        files, sys.stdin.buffer, namespace=namespace, name=name, timezone=timezone, now=session.now(), note=screen.note
    )
    with session.connect() as client:
        plans = _checked(client, documents)
        if dry_run:
            _print_results(screen, plans, dry_run=True)
            screen.note("nothing was saved: --dry-run")
        else:
            _save(screen, client, documents, plans)


@command("list", calendar_command, examples=["calendar list -n shop"])
@click.option("-n", "--namespace", default=DEFAULT_NAMESPACE, show_default=True, help="The namespace to list.")
@click.option("--limit", type=Whole(min=1), help="Maximum number of calendars. [default: all]")
@click.option("--cursor", help='Continue a list: the "next" in the JSON of its last page.')
def list_command(session: Session, screen: Screen, *, namespace: str, limit: int | None, cursor: str | None) -> None:
    """List the calendars of a namespace by name, each with its number of entries and of jobs that use it."""
    with session.connect() as client:
        page = take(
            lambda size, at: client.calendars_page(namespace, limit=size, cursor=at), limit=limit, cursor=cursor
        )
    screen.page(
        page,
        ["calendar", *KINDS, "jobs", "changed (UTC)", "description"],
        lambda calendar: [
            f"{calendar['namespace']}/{calendar['name']}",
            *(str(calendar.get("entries", {}).get(kind, "-")) for kind in KINDS),
            str(calendar["status"].get("jobs", "-")),
            in_utc(calendar["status"].get("updated_at")),
            calendar.get("description", ""),
        ],
        empty=f"namespace {namespace} has no calendars; `minutehand calendar apply FILE` saves some",
    )


@command("show", calendar_command, examples=["calendar show shop/holidays"])
@_calendar_argument
def show_command(session: Session, screen: Screen, *, calendar: str) -> None:
    """Show a calendar. The output of -o json can be applied again."""
    with session.connect() as client:
        found = client.get_calendar(calendar)
    screen.record(found, _fields)


@command("delete", calendar_command, examples=["calendar delete shop/holidays"])
@_calendar_argument
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def delete_command(session: Session, screen: Screen, *, calendar: str, yes: bool) -> None:
    """Delete a calendar, after confirmation. A calendar that jobs use cannot be deleted."""
    confirm_delete(session, screen, calendar, yes=yes)
    with session.connect() as client:
        client.delete_calendar(calendar)
    screen.result({"calendar": calendar, "result": "deleted"}, lambda _: ["deleted", calendar])


def _checked(client: Client, documents: Sequence[Document]) -> list[AppliedCalendar]:
    plans: list[AppliedCalendar] = []
    refused: list[tuple[Document, Refused]] = []
    for document in documents:
        try:
            plans.append(client.apply_calendar(document.content, dry_run=True))
        except Refused as error:
            if not is_validation_error(error):
                raise
            refused.append((document, error))
    if refused:
        raise refusal(refused, total=len(documents), noun="calendar") from refused[0][1]
    return plans


def _save(screen: Screen, client: Client, documents: Sequence[Document], plans: Sequence[AppliedCalendar]) -> None:
    """Save the calendars that change, and print what was saved, also after a failure or Ctrl-C."""
    done: list[AppliedCalendar] = []
    try:
        for document, plan in zip(documents, plans, strict=True):
            done.append(plan if plan["result"] == "unchanged" else client.apply_calendar(document.content))
    finally:
        _print_results(screen, done)
        if len(done) < len(documents):
            screen.note(
                f"{len(done)} of {counted(len(documents), 'calendar')} saved as in the files; apply again to continue"
            )


def _print_results(screen: Screen, done: Sequence[AppliedCalendar], *, dry_run: bool = False) -> None:
    items = [
        {
            "calendar": f"{each['calendar']['namespace']}/{each['calendar']['name']}",
            "result": each["result"],
            "revision": each["calendar"]["status"]["revision"],
        }
        for each in done
    ]
    print_items(screen, "calendar", items, dry_run=dry_run)


def _fields(calendar: Calendar) -> Iterator[tuple[str, str]]:
    status = calendar["status"]
    yield "calendar", f"{calendar['namespace']}/{calendar['name']}"
    if calendar.get("description"):
        yield "description", calendar["description"]
    entries = {kind: texts for kind in KINDS if (texts := list(calendar.get(kind, ())))}  # type: ignore[call-overload]  # the keys are the three that are named
    for kind, texts in entries.items():
        for place, text in enumerate(texts):
            yield kind if place == 0 else "", text
    if not entries:
        yield "blocks", "nothing"
    yield "used by", "1 job" if status.get("jobs") == 1 else f"{status.get('jobs', '?')} jobs"
    changed = f"{in_utc(status.get('updated_at'))} UTC by {status.get('updated_by', '?')}"
    yield "revision", f"{status['revision']}, {changed}"
