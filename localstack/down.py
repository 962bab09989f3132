"""Stop what was started, and forget what was kept."""

import shutil
from collections.abc import Callable

from localstack import processes
from localstack.ministack import PROGRAM
from localstack.place import Place
from localstack.up import ECHO


def bring_down(place: Place, say: Callable[[str], None]) -> None:
    """Stop emulator and echo service; the emulator writes its state down first. Raises ``LocalStackError`` if it hangs."""
    stopped = [name for name in (PROGRAM, ECHO) if processes.stop(place.pid_file(name), patience=60)]
    say(f"stopped: {', '.join(stopped)}" if stopped else "nothing was running")


def forget(place: Place, say: Callable[[str], None]) -> None:
    """Stop everything and delete what this place kept: jobs, runs, tokens and logs."""
    bring_down(place, say)
    if place.state.exists():
        shutil.rmtree(place.state)
        say(f"deleted {place.state}")
