"""Reads crontabs from a file, a folder or stdin. A crontab's location tells its owner and whether it has a user column."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import click

from minutehand.cli.documents.files import STDIN
from minutehand.cli.failures import Failure, failure
from minutehand.cli.screen.render import Screen
from minutehand.schedule.zones import zone_names
from minutehand.tools.crontab.documents import LONGEST_VALUE
from minutehand.tools.crontab.planning import Placed
from minutehand.tools.crontab.reading import Crontab, read_crontab
from minutehand.tools.crontab.writing import SYSTEM_MARK

# In cron.d, cron reads only files with such names: see cron(8) and run-parts(8).
_READ_BY_CRON = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_ONLY = "cron reads only files whose names are letters, digits, _ and -"
_INVALID = "invalid crontab"


@dataclass(frozen=True, kw_only=True)
class CrontabFile:
    """One crontab as text.

    place: its name in messages. source: its name in the jobs' labels. system: whether it has a user column before the
    command; guessed: whether that is only assumed. user: its owner, where the location tells.
    """

    place: str
    source: str
    system: bool
    guessed: bool
    user: str | None
    text: str


@dataclass(frozen=True, kw_only=True)
class Found:
    """Crontabs with their common source `scope`. If they are a `whole_folder`, each file's own source is `scope/file`."""

    files: tuple[CrontabFile, ...]
    scope: str
    whole_folder: bool
    notes: tuple[str, ...]


def read_crontabs(place: str, stdin: BinaryIO, *, system: bool | None, source: str | None) -> Found:
    """The crontab in a file or on stdin (`-`), or all crontabs of a folder such as /etc/cron.d.

    system: None decides by location: /etc/crontab, files in a cron.d and folders other than a spool have a user column.
    Raises Failure (exit 2) for an unreadable one, UsageError for one without a name.
    """
    if source is not None and (
        not source.isprintable() or source != source.strip() or not 0 < len(source) <= LONGEST_VALUE - 50
    ):
        raise click.UsageError(
            f"--source is a name of at most {LONGEST_VALUE - 50} printable characters, such as web-1, not {source!r:.60}"
        )
    if place == STDIN:
        if source is None:
            raise click.UsageError("stdin has no name: add --source, such as --source web-1")
        return _single("<stdin>", _text("<stdin>", stdin.read()), source, system, user=None)
    path = Path(place)
    if path.is_dir():
        return _folder(path, source or path.resolve().name or "crontabs", system)
    text = _text(place, _bytes(path))
    in_cron_d, owner = path.absolute().parent.name == "cron.d", _owner(path)
    if system is None and (in_cron_d or path.absolute().parts[-2:] == ("etc", "crontab")):
        system = True
    elif system is None and owner:
        system = False
    name = f"{path.resolve().parent.name}/{path.name}" if in_cron_d else path.name
    found = _single(place, text, source or name, system, user=owner)
    if in_cron_d and not _READ_BY_CRON.fullmatch(path.name):
        return replace(found, notes=(*found.notes, f"{place} is imported although cron would ignore it: {_ONLY}"))
    return found


def read_lines(
    found: Found,
    screen: Screen,
    *,
    user: str | None,
    timezone: str | None,
    local_zone: Callable[[], str | None],
    at_start: bool = False,
) -> list[Placed]:
    """All lines of the crontabs. Prints notes about what was assumed, such as the time zone.

    user: the crontab's owner; None decides by location. timezone: for lines without one; None is UTC, with a note.
    at_start: whether @reboot may be a schedule. Raises Failure (exit 2) with all errors at file:line:column, or for a crontab without lines.
    """
    if user is not None and any(file.system for file in found.files):
        raise click.UsageError(
            "--user goes with a user's crontab, not with one that has a column for users (--no-system)"
        )
    crontabs = [
        (file, read_crontab(file.text, system=file.system, guessed=file.guessed, at_start=at_start))
        for file in found.files
    ]
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
        hint = f"`minutehand crontab clear --source {found.scope}` deletes the jobs that once came from it"
        raise failure(_INVALID, "the crontab has no line with a command; nothing was saved", hint=hint)
    for file, crontab in crontabs:
        for remark in crontab.notes:
            screen.note(f"{file.place}:{remark.number}: {remark.message}")
    if timezone is None and any(each.line.timezone is None for each in lines):
        suggestion, here = "", local_zone()
        if here in zone_names() - {"UTC", "Etc/UTC"}:
            suggestion = f"; this machine's time zone is {here}: --timezone {here}"
        screen.note(f"the crontab sets no time zone, so its schedules are in UTC{suggestion}")
    return lines


def _refuse_problems(crontabs: Sequence[tuple[CrontabFile, Crontab]]) -> None:
    problems = [(file, remark) for file, crontab in crontabs for remark in crontab.problems]
    if not problems:
        return
    errors = [
        {
            "path": f"{file.place}:{remark.number}:{remark.column + 1}",
            "message": remark.message,
            "hint": remark.hint,
            "column": remark.column,
        }
        for file, remark in problems
    ]
    count = f"{len(problems)} lines" if len(problems) > 1 else "a line"
    texts = {place: remark.text for place, (_, remark) in enumerate(problems)}
    raise failure(_INVALID, f"{count} of the crontab cannot be used; nothing was saved", errors=errors, texts=texts)


def _single(place: str, text: str, source: str, system: bool | None, *, user: str | None) -> Found:
    marked = text.startswith(SYSTEM_MARK)
    has_users = marked if system is None else system
    file = CrontabFile(
        place=place,
        source=source,
        system=has_users,
        guessed=system is None and not marked,
        user=None if has_users else user,
        text=text,
    )
    return Found(files=(file,), scope=source, whole_folder=False, notes=(_read_as(place, system=has_users),))


def _folder(folder: Path, source: str, system: bool | None) -> Found:
    has_users = not _is_spool(folder) if system is None else system
    notes = [_read_as(str(folder), system=has_users)]
    files = []
    try:
        found = sorted(folder.iterdir())
    except OSError as error:
        raise _unreadable(str(folder), f"it cannot be read: {error.strerror}", None) from error
    for path in found:
        if path.name.startswith(".") or not path.is_file():
            continue
        if has_users and not _READ_BY_CRON.fullmatch(path.name):
            notes.append(f"{path} is skipped: {_ONLY}")
            continue
        files.append(
            CrontabFile(
                place=str(path),
                source=f"{source}/{path.name}",
                system=has_users,
                guessed=False,
                user=None if has_users else _owner(path) or path.name,
                text=_text(str(path), _bytes(path)),
            )
        )
    if not files:
        raise _unreadable(str(folder), "this folder contains no crontab", "cron ignores subfolders")
    return Found(files=tuple(files), scope=source, whole_folder=True, notes=tuple(notes))


def _owner(path: Path) -> str | None:
    """The owner of a file in a spool, which cron names after its user."""
    return path.name if _is_spool(path.absolute().parent) else None


def _is_spool(folder: Path) -> bool:
    """Debian's /var/spool/cron/crontabs, Red Hat's /var/spool/cron and SUSE's /var/spool/cron/tabs."""
    parts = folder.absolute().parts
    return parts[-2:] == ("spool", "cron") or (parts[-2:-1] == ("cron",) and parts[-1] in {"crontabs", "tabs"})


def _read_as(place: str, *, system: bool) -> str:
    if system:
        return f"{place} is read as a system crontab, with a user before each command; --no-system says otherwise"
    return f"{place} is read as a user's crontab, without a column for users; --system says otherwise"


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(str(path), f"it cannot be read: {error.strerror}", None) from error


def _text(place: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _unreadable(f"{place}:{line}", f"it is not UTF-8: byte {error.start + 1}", "save it as UTF-8") from error


def _unreadable(place: str, message: str, hint: str | None) -> Failure:
    error = {"path": place, "message": message, "hint": hint}
    return failure(_INVALID, "the crontab cannot be imported; nothing was saved", errors=[error])
