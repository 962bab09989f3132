"""The commands `export` and `restore`."""

import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from minutehand.cli.command import Session, command
from minutehand.cli.documents.backups import backup_lines, read_backups
from minutehand.cli.failures import Exit, failure
from minutehand.cli.parallel import Outcomes, parallel_parts
from minutehand.cli.params import files_argument
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.words import counted
from minutehand.client import Client, MinutehandError
from minutehand.client.exports import import_phases
from minutehand.client.models import ImportResult

_LONGEST = len("unchanged")


@command("export", examples=["export --to backup.jsonl", "export --namespace shop --to shop.jsonl"])
@click.option("-n", "--namespace", help="Only this namespace. [default: all that the token may see]")
@click.option("--to", metavar="FILE", help="Write the backup to a file. [default: stdout]")
def export_command(session: Session, screen: Screen, *, namespace: str | None, to: str | None) -> None:
    """Write jobs, calendars, settings and pauses to a file, as a backup. `minutehand restore` saves them again.

    Runs, tokens and records of changes are not part of it. Secrets are references, as the jobs have them.
    """
    counts: Counter[str] = Counter()
    heading = {"exported_at": session.now().isoformat(timespec="seconds").replace("+00:00", "Z")}
    heading |= {} if namespace is None else {"namespace": namespace}
    with session.connect() as client:
        lines = backup_lines(_exported(screen, client, namespace, counts), heading)
        if to is None:
            for line in lines:
                screen.text(line)
        else:
            _write(Path(to), lines)
    parts = [counted(counts[kind], kind) for kind in ("job", "calendar", "namespace")]
    screen.note(f"exported {', '.join(parts)}{f' to {to}' if to else ''}")


@command("restore", examples=["restore backup.jsonl", "restore backups/ --quiet"])
@files_argument("A backup that export wrote: a file, a folder of *.jsonl, or - for stdin. Repeatable.", required=True)
@click.option("-q", "--quiet", is_flag=True, help="Print only what changes or is refused.")
@click.pass_context
def restore_command(
    context: click.Context, session: Session, screen: Screen, *, files: tuple[str, ...], quiet: bool
) -> None:
    """Save the jobs, calendars, settings and pauses of backups, in this or another stack.

    What is saved already stays as it is, so a restore may be repeated. A job that has no run any more is left out. What the API refuses
    is listed, and everything else is saved.
    """
    items = read_backups(files, sys.stdin.buffer)
    with session.connect() as client:
        results, last = _restored(screen, client, items)
    if screen.as_json:
        screen.data({"items": results})
    else:
        for each in results:
            if not quiet or each["result"] not in ("unchanged", "over"):
                _print(screen, each)
    found = Counter(each["result"] for each in results)
    screen.note(", ".join(f"{count} {result}" for result, count in sorted(found.items())) or "the backup is empty")
    if len(results) < len(items):
        screen.note(f"{len(results)} of {len(items)} sent; restore again to continue")
        last.end()
    if found["refused"]:
        context.exit(Exit.FAILED)


def _exported(
    screen: Screen, client: Client, namespace: str | None, counts: Counter[str]
) -> Iterator[Mapping[str, Any]]:
    with screen.progress("exporting") as step:
        for item in client.export(namespace):
            counts[item["kind"]] += 1
            step()
            yield item


def _write(path: Path, lines: Iterator[str]) -> None:
    """Write a file whole, or leave the one that exists as it is. Only this user can read it, as jobs may have headers with secrets."""
    import tempfile  # noqa: PLC0415 - most commands write no file

    try:
        handle, name = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.name[:100]}.", suffix=".part"
        )  # with mode 0600
        part = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.writelines(lines)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        field = {"path": str(path), "message": f"it cannot be written: {error.strerror}", "hint": None}
        raise failure("unwritable file", "nothing was exported", errors=[field]) from error


def _restored(
    screen: Screen, client: Client, items: Sequence[Mapping[str, Any]]
) -> tuple[list[ImportResult], Outcomes[ImportResult]]:
    """The results of all that was sent, in order, and the outcomes of the last calls."""

    def restore(places: Sequence[int]) -> Sequence[ImportResult]:
        return client.import_some([items[place] for place in places])

    found: dict[int, ImportResult] = {}
    outcomes: Outcomes[ImportResult] = Outcomes(each=[], interrupted=False)
    with screen.progress("restoring", len(items)) as step:
        for parts in import_phases(items):
            outcomes = parallel_parts(restore, parts, step=step)
            places = [place for part in parts for place in part]
            outcome_of = zip(places, outcomes.each, strict=True)
            found |= {n: each for n, each in outcome_of if each is not None and not isinstance(each, MinutehandError)}
            if outcomes.interrupted or len(outcomes.results()) < len(places):
                break
    return [found[place] for place in sorted(found)], outcomes


def _print(screen: Screen, each: ImportResult) -> None:
    name = f"{each['namespace']}/{each['name']}" if each["name"] else each["namespace"]
    cells = [each["result"].ljust(_LONGEST), each["kind"].ljust(len("namespace")), name]
    if "problem" not in each:
        screen.line(*cells, f"revision {each['revision']}")
        return
    screen.line(*cells, str(each["problem"]["detail"]))
