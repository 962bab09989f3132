"""The lines of crontabs, or all their errors."""

from collections.abc import Callable, Sequence
from typing import Any

import click

from minutehand.cli.documents.crontab_files import CrontabFile, Found
from minutehand.cli.failures import Exit, Failure
from minutehand.cli.screen.render import Screen
from minutehand.schedule.zones import zone_names
from minutehand.tools.crontab.planning import Placed
from minutehand.tools.crontab.reading import Crontab, Remark, read_crontab


def read_lines(
    found: Found, screen: Screen, *, user: str | None, timezone: str | None, local_zone: Callable[[], str | None]
) -> list[Placed]:
    """All lines; prints notes about what was assumed.

    user: the crontab's owner; None decides by location. timezone: for lines without one; None is UTC, with a note.
    Raises Failure (exit 2) with all errors at file:line:column, or for a crontab without lines.
    """
    if user is not None and any(file.system for file in found.files):
        raise click.UsageError(
            "--user goes with a user's crontab, not with one that has a column for users (--no-system)"
        )
    crontabs = [(file, read_crontab(file.text, system=file.system, guessed=file.guessed)) for file in found.files]
    for note in found.notes:
        screen.note(note)
    _refuse_problems(crontabs)
    lines = [
        Placed(
            place=f"{file.place}:{line.number}",
            source=file.source,
            line=line,
            timezone=line.timezone or timezone or "UTC",
            user=line.entry.user or user or file.user,
        )
        for file, crontab in crontabs
        for line in crontab.lines
    ]
    if not lines:
        raise _nothing(found)
    for file, crontab in crontabs:
        for remark in crontab.notes:
            screen.note(f"{file.place}:{remark.number}: {remark.message}")
    if timezone is None and any(each.line.timezone is None for each in lines):
        _note_utc(screen, local_zone())
    return lines


def _refuse_problems(crontabs: Sequence[tuple[CrontabFile, Crontab]]) -> None:
    problems = [(file, remark) for file, crontab in crontabs for remark in crontab.problems]
    if not problems:
        return
    count = f"{len(problems)} lines" if len(problems) > 1 else "a line"
    raise Failure(
        {
            "title": "invalid crontab",
            "detail": f"{count} of the crontab cannot be used; nothing was saved",
            "errors": [_error(file, remark) for file, remark in problems],
        },
        exit_code=Exit.USAGE,
        texts={place: remark.text for place, (_, remark) in enumerate(problems)},
    )


def _error(file: CrontabFile, remark: Remark) -> dict[str, Any]:
    return {
        "path": f"{file.place}:{remark.number}:{remark.column + 1}",
        "message": remark.message,
        "hint": remark.hint,
        "column": remark.column,
    }


def _nothing(found: Found) -> Failure:
    return Failure(
        {
            "title": "invalid crontab",
            "detail": "the crontab has no line with a command; nothing was saved",
            "hint": f"`minutehand crontab clear --source {found.scope}` deletes the jobs that once came from it",
        },
        exit_code=Exit.USAGE,
    )


def _note_utc(screen: Screen, local: str | None) -> None:
    suggestion = ""
    if local in zone_names() - {"UTC", "Etc/UTC"}:
        suggestion = f"; this machine's time zone is {local}: --timezone {local}"
    screen.note(f"the crontab sets no time zone, so its schedules are in UTC{suggestion}")
