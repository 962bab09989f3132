"""A session of processes: a command, and all that it starts. Each command leads one of its own.

A process that begins a session of its own (`setsid`) leaves it: it is neither signalled nor waited for.
"""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")
_ENDED = frozenset("ZXx")
"""States of a process that has ended, and whose parent has yet to notice; see proc(5)."""


class Member(NamedTuple):
    """A process of a session, by its id and that of its group."""

    pid: int
    group: int


def members(session: int) -> list[Member]:
    """The processes of a session that have not ended. Shells with job control and programs such as timeout(1) give some of them groups
    of their own."""
    return [Member(pid, group) for pid, state, group, of in _processes() if of == session and state not in _ENDED]


def send(session: int, number: signal.Signals) -> None:
    """Send a signal to all groups of a session. Those that this process may not signal stay."""
    # The leader's own group first, also once the leader has ended: it may have more members than were found.
    for group in dict.fromkeys((session, *(each.group for each in members(session)))):
        try:
            os.killpg(group, number)
        except (ProcessLookupError, PermissionError):
            continue


def _processes() -> Iterator[tuple[int, str, int, int]]:
    """The id, the state, the group and the session of each process that this one sees."""
    for entry in os.scandir(_PROC):
        if entry.name.isdecimal():
            try:
                text = (_PROC / entry.name / "stat").read_bytes()
            except OSError:  # it has ended
                continue
            # The name in parentheses may contain anything, spaces and parentheses included.
            state, _, group, session, *_ = text[text.rindex(b")") + 1 :].split()
            yield int(entry.name), state.decode("ascii"), int(group), int(session)
