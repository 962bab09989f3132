"""The processes in which the emulator keeps functions warm: one Python interpreter for each call at the same time."""

import subprocess
from pathlib import Path

from localstack.place import Place


def pids(place: Place, function: str) -> list[int]:
    """The ids of the processes that run this function (by its physical name) now, busy or idle, oldest first.

    Killing one in the middle of a call is how a test makes a Lambda die: the call fails, its messages stay hidden for as
    long as their visibility says, and the next call gets a new process.
    """
    home = f"{place.state / 'tmp'}/ministack-lambda-{function}-"
    return sorted(pid for pid, command in _processes() if home in command)


def _processes() -> list[tuple[int, str]]:
    proc = Path("/proc")
    if not (proc / "self").exists():
        listed = subprocess.run(["ps", "-axo", "pid=,args="], capture_output=True, text=True, check=True).stdout
        pairs = (line.strip().partition(" ") for line in listed.splitlines())
        return [(int(pid), command) for pid, _, command in pairs]
    found = []
    for folder in proc.iterdir():
        if folder.name.isdigit():
            try:
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
            except OSError:
                continue  # it ended meanwhile
            found.append((int(folder.name), command.decode(errors="replace")))
    return found
