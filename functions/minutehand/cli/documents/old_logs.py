"""Reads the logs of another scheduler, and the mapping of its names to jobs."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import click

from minutehand.cli.documents.files import STDIN, read_template
from minutehand.cli.failures import failure
from minutehand.tools.comparing.entries import Entry, Log, TooMany, Unread, Unreadable
from minutehand.tools.comparing.lines import Fields, UnknownForm
from minutehand.tools.comparing.names import IGNORED
from minutehand.tools.comparing.reading import entries_of
from minutehand.tools.comparing.times import Clock

_NOTHING = "nothing was compared"


@dataclass(frozen=True, kw_only=True)
class HowToRead:
    """How logs are read: their form (None: by the first line), the fields with time and name, and the time zone of local times."""

    form: str | None
    fields: Fields
    timezone: str
    now: datetime


def read_logs(
    files: Sequence[str], how: HowToRead, *, first: datetime | None, last: datetime | None
) -> tuple[Log, Unreadable]:
    """The entries of logs from `first` to `last`, and what cannot be read. Raises Failure (exit 2) for a log that cannot be read at all."""
    log, unreadable = Log(first, last), Unreadable()
    for file in files:
        log.open(file)
        try:
            with _opened(file) as source:
                for found in entries_of(source, how.form, Clock(how.timezone, how.now), how.fields):
                    match found:
                        case Entry():
                            log.add(found)
                        case Unread():
                            unreadable.add(file, found)
                        case None:
                            log.passed_over += 1
        except (UnknownForm, TooMany) as error:
            raise _unreadable(file, str(error)) from error
        except OSError as error:
            raise _unreadable(file, f"it cannot be read: {error.strerror}") from error
    return log, unreadable


def read_mapping(pairs: Sequence[str], file: str | None) -> dict[str, str]:
    """The jobs of names in the log: from `NAME=JOB` options and a file with an object of them. `-`, or null, ignores a name.

    Raises:
        UsageError: for a pair without a job.
    """
    found: dict[str, str] = {}
    if file is not None:
        given: Mapping[str, object] = read_template(file, sys.stdin.buffer)
        for name, job in given.items():
            if job is not None and not isinstance(job, str):
                raise _unreadable(file, f"{name}: {job!r:.60} is not the name of a job")
            found[name] = job or IGNORED
    for pair in pairs:
        name, equals, job = pair.rpartition("=")
        if not (name and equals and job):
            raise click.UsageError(f"--map: {pair!r:.80} is not NAME=JOB; write - as JOB to ignore the name")
        found[name] = job
    return found


def _opened(file: str) -> nullcontext[BinaryIO] | BinaryIO:
    if file == STDIN:
        return nullcontext(sys.stdin.buffer)
    path = Path(file)
    if path.is_char_device() or path.is_block_device():
        raise _unreadable(file, "this is a device; name a file, or give - for stdin")
    return path.open("rb")


def _unreadable(file: str, message: str) -> Exception:
    return failure("unreadable log", _NOTHING, errors=[{"path": file, "message": message}])
