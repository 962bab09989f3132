"""The command `logs`."""

import os
import re
import sys
from collections.abc import Iterator

import click

from minutehand.cli.command import Session, command, job_argument
from minutehand.cli.failures import Exit, failure, printable
from minutehand.cli.params import Whole
from minutehand.cli.run_names import run_argument, with_run
from minutehand.cli.screen.render import Screen
from minutehand.client import Client, Log, LogEntry, read_log

_COLOUR = re.compile(r"(\x1b\[[0-9;:]*m)")
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, positions
    r"|(?:\x1b[\]P^_X]|[\x9d\x90\x9e\x9f\x98])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # titles, links, the clipboard
    r"|\x1b[ -/]*[0-~]"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"  # whatever is left of one, as of one that is in two entries
)
_PLAIN = "\x1b[0m"


@command("logs", examples=["logs shop/backup --follow", 'logs shop/backup "yesterday 09:00" --attempt 1 --times'])
@job_argument
@run_argument
@click.option("-f", "--follow", is_flag=True, help="Wait for more until the run has ended. Its end is the exit code.")
@click.option(
    "--attempt",
    type=Whole(min=1, max=100),
    help="The attempt's number. [default: the newest; with --follow, those after it]",
)
@click.option("--times", is_flag=True, help="Print the time before each line.")
def logs_command(
    session: Session,
    screen: Screen,
    *,
    job: str,
    run_id: str | None,
    follow: bool,
    attempt: int | None,
    times: bool,
) -> int:
    """Print what the command of a run has written, by default of the newest run; also while it runs."""
    printer = _Printer(screen, times=times)
    with session.connect() as client:
        first = with_run(session, client, job, run_id, lambda found: client.log(job, found, attempt=attempt, limit=1))
        last = first
        try:
            for last in _pages(session, client, first, attempt=attempt, follow=follow):
                printer.print(last)
        finally:
            printer.close()
    if not printer.has_printed:
        _note_nodes(session, screen, last)
    if last["cut"]:
        screen.note("incomplete: the rest was not sent, or has expired")
    if follow and last["state"] != "succeeded":
        detail = f"run {last['run_id']} of {last['job']} ended as {last['state']}"
        hint = f"`minutehand run {last['job']} {last['run_id']}` shows its full record"
        raise failure("the run did not succeed", detail, hint=hint, exit_code=Exit.FAILED)
    return Exit.DONE


def _note_nodes(session: Session, screen: Screen, empty: Log) -> None:
    """Where the output of a run on several nodes is, whose own log is empty."""
    with session.connect() as client:
        nodes = [each for each in client.run(empty["job"], empty["run_id"]).get("nodes", ()) if each["run_id"]]
    if nodes:
        screen.note("each node of this run has a log of its own:")
    for each in nodes:
        screen.note(f"  minutehand logs {empty['job']} {each['run_id']}  # {each['node']}")


def _pages(session: Session, client: Client, first: Log, *, attempt: int | None, follow: bool) -> Iterator[Log]:
    return read_log(client, first["job"], first["run_id"], attempt=attempt, follow=follow, sleep=session.sleep)


class _Printer:
    """Prints the entries of logs: as lines, or each as JSON. Colours go to a terminal alone, other control sequences nowhere."""

    def __init__(self, screen: Screen, *, times: bool) -> None:
        self._screen = screen
        self._times = times
        self._watched = sys.stdout.isatty()
        self._coloured = self._watched and not os.environ.get("NO_COLOR")
        self._in_line = False
        self._attempt = 0

    @property
    def has_printed(self) -> bool:
        """Whether there was an entry."""
        return self._attempt > 0

    def print(self, page: Log) -> None:
        """Print a piece of a log."""
        for entry in page["entries"]:
            before, self._attempt = self._attempt, page["attempt"]
            if self._screen.as_json:
                self._screen.event({"attempt": page["attempt"], **entry})
                continue
            if before and page["attempt"] != before:
                self._end_line()
                self._screen.note(f"attempt {page['attempt']}:")
            self._entry(entry)
        sys.stdout.flush()

    def close(self) -> None:
        """End the last line on a terminal, and its colours."""
        if self._watched and not self._screen.as_json:
            self._end_line()

    def _entry(self, entry: LogEntry) -> None:
        if entry["stream"] == "note":
            self._end_line()
            sys.stdout.flush()
            self._screen.note(f"({entry['text'].rstrip()})")
            return
        before = f"{entry['at']} " if self._times and not self._in_line else ""
        sys.stdout.write(before + self._shown(entry["text"]))
        self._in_line = not entry["text"].endswith("\n")

    def _shown(self, text: str) -> str:
        if not self._watched:
            return _SEQUENCE.sub("", text)
        pieces = _COLOUR.split(text.replace("\r\n", "\n"))
        return "".join(
            (piece if self._coloured else "") if _COLOUR.fullmatch(piece) else printable(piece) for piece in pieces
        )

    def _end_line(self) -> None:
        if self._in_line:
            sys.stdout.write("\n")
            self._in_line = False
        if self._coloured:
            sys.stdout.write(_PLAIN)
