"""A handler as an agent runs it: `python -m minutehand.handlers.on_agent TASK APP FOLDER FD`, a process for each run.

The invocation comes from standard input, and the outcome goes to the agent by a `Handover`, the file descriptor FD. Whatever the handler
prints or logs is output. It knows no token: the agent sends heartbeats and the report.
"""

import json
import logging
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from minutehand.client.handover import Handover
from minutehand.handlers.app import App
from minutehand.handlers.errors import AppError
from minutehand.handlers.invocation import Invocation
from minutehand.handlers.loading import find_app
from minutehand.handlers.outcome import Outcome, failure
from minutehand.handlers.reports import SteadyLine
from minutehand.handlers.worker import Worker


class OutputLine:
    """A line to Minutehand through the output: the agent takes lines of progress out of it.

    Attributes:
        unwanted: whether the agent has told this process to end.
    """

    def __init__(self) -> None:
        self.unwanted = False
        self._fd = os.dup(1)  # a handler may redirect its standard output

    def stop(self, *_: object) -> None:
        """Note that this process is to end; for a signal."""
        self.unwanted = True

    def progress(self, percent: int | None = None, text: str | None = None) -> bool:
        """Write a line of progress; returns `unwanted`."""
        if percent is not None or text:
            line = f"::progress {'-' if percent is None else percent} {text or ''}\n"
            with suppress(OSError, ValueError):  # the handler has closed its output, or the agent has died
                sys.stdout.flush()
            with suppress(OSError):
                os.write(self._fd, line.encode("utf-8", "replace"))
        return self.unwanted

    def heartbeat(self) -> bool:
        """Return `unwanted`: the agent sends heartbeats while this process runs."""
        return self.unwanted


def main(arguments: Sequence[str]) -> int:
    """Do the task `check` or `run`. Returns the exit code of the process."""
    task, app, folder, fd = arguments
    handover = Handover.inherited(int(fd))
    sys.path.insert(0, folder)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]  # of this process, they are of io
    return _check(app, handover) if task == "check" else _run(app, handover)


def _check(name: str, handover: Handover) -> int:
    """Load an app, and hand over the names of its handlers, or what is wrong with it."""
    try:
        handover.write({"handlers": list(_loaded(name).handlers)})
    except AppError as error:
        handover.write({"wrong": error.message, "hint": error.hint})
        return 1
    return 0


def _run(name: str, handover: Handover) -> int:
    """Run the handler of an invocation, and hand over its outcome. `stopped` tells whether this process was to end before the handler did."""
    try:
        invocation = _given()
        worker = Worker(_loaded(name))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever importing the app raises
        handover.write(_document(failure(error), stopped=False))
        return 1
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")  # unless the app has done it
    line = OutputLine()
    signal.signal(signal.SIGTERM, line.stop)
    outcome = worker.run(invocation, SteadyLine(line))
    handover.write(_document(outcome, stopped=line.unwanted))
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # what is left is to close what the app has opened
    worker.close()
    return 0 if outcome.succeeded else 1


def _loaded(name: str) -> App:
    app = find_app(name)
    app.handlers  # noqa: B018 - imports and checks them
    return app


def _given() -> Invocation:
    """The invocation from standard input, which is empty from then on."""
    found = Invocation.of(json.loads(sys.stdin.buffer.read()))
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    return found


def _document(outcome: Outcome, *, stopped: bool) -> dict[str, Any]:
    error = None if outcome.error is None else asdict(outcome.error)
    return {"result": outcome.result, "error": error, "stopped": stopped}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
