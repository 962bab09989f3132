"""The processes in which the emulator keeps functions warm: one Python interpreter for each call at the same time."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from localstack.clients import Clients
from localstack.place import Place

MOST = 8
"""Batches that workers have under way at once, each of up to ten runs; on AWS it is the parameter `WorkerMaxConcurrency`.

Each is a Python that takes more than a second of a processor to begin, and on a few cores a hundred that begin at once keep each other from it.
"""


def limit(clients: Clients, outputs: Mapping[str, str]) -> None:
    """Let the emulator have `MOST` processes of the worker. Not by the parameter: MiniStack reads its number as text, and calls nobody."""
    worker = outputs["HttpWorkerFunction"]
    for source in clients.functions.list_event_source_mappings(FunctionName=worker)["EventSourceMappings"]:
        if source.get("ScalingConfig") != {"MaximumConcurrency": MOST}:
            clients.functions.update_event_source_mapping(
                UUID=source["UUID"], ScalingConfig={"MaximumConcurrency": MOST}
            )


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
