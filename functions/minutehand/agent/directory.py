"""The directory in which a command begins, opened as the user of the command sees it.

It is opened once: what is compared with the rules is what the command gets, though its path may lead elsewhere a moment later.
"""

import errno
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from minutehand.agent.accounts import Account
from minutehand.agent.not_launched import NotLaunched

_PROGRAM = Path(__file__).with_name("entering.py")
_LONGEST = 10.0
"""Seconds for entering a directory as another user; a file system may not answer."""
_MISSING = (errno.ENOENT, errno.ENOTDIR)
_NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)


class Directory:
    """An open directory.

    Attributes:
        path: where it is, without symbolic links.
        cwd: its name for `chdir` in this process and in those that it forks.
    """

    def __init__(self, descriptor: int) -> None:
        self.cwd = f"/proc/self/fd/{descriptor}"
        self.path = os.readlink(self.cwd)  # noqa: PTH115 - a text, as the rules have them


@contextmanager
def opened(path: str | None, account: Account, own: Account) -> Iterator[Directory]:
    """Open a directory as an account; without a path its home, or `/` if it cannot enter that.

    Raises:
        NotLaunched: if the account cannot enter it, or this process cannot become the account.
    """
    descriptor = _home(account, own) if path is None else _named(path, account, own)
    try:
        yield Directory(descriptor)
    finally:
        os.close(descriptor)


def not_entered(path: str, account: Account, error: OSError) -> NotLaunched:
    """What it means for the job that an account cannot enter a directory."""
    if error.errno in _MISSING:
        return NotLaunched("NoDirectory", f"this machine has no directory {path}")
    why = error.strerror or str(error)
    if error.errno in _NO_ROOM:
        return NotLaunched("NotStarted", f"this machine cannot open the directory {path} now: {why}")
    return NotLaunched("NoDirectory", f"{account.name} cannot enter the directory {path}: {why}")


def _home(account: Account, own: Account) -> int:
    try:
        return _descriptor(account.home, account, own)
    except OSError:
        return _named("/", account, own)


def _named(path: str, account: Account, own: Account) -> int:
    try:
        return _descriptor(path, account, own)
    except ValueError as error:  # a NUL, or half a surrogate pair
        raise NotLaunched("NoDirectory", f"{path!r:.200} cannot be a directory") from error
    except OSError as error:
        raise not_entered(path, account, error) from error


def _descriptor(path: str, account: Account, own: Account) -> int:
    """A file descriptor of a directory. Raises OSError, ValueError or NotLaunched."""
    if account.uid == own.uid:
        return os.open(path.encode(), os.O_PATH | os.O_DIRECTORY)
    here, there = socket.socketpair()
    with here:
        with there:
            process = _program(path, account, there)
        here.settimeout(_LONGEST)
        try:
            answer, descriptors, _, _ = socket.recv_fds(here, 100, 1)
        except TimeoutError as error:
            process.kill()  # it is not waited for: it may be stuck in the file system
            raise OSError(errno.ETIMEDOUT, "it takes too long") from error
    process.wait()
    step, _, number = answer.decode().partition(" ")
    if descriptors:
        return descriptors[0]
    if step == "directory":
        raise OSError(int(number), os.strerror(int(number)))
    why = os.strerror(int(number)) if number else "the program that does so has ended"
    raise NotLaunched("CommandRefused", f"the agent may not run commands as {account.name}: {why}")


def _program(path: str, account: Account, answers_to: socket.socket) -> "subprocess.Popen[bytes]":
    ids = [str(account.uid), str(account.gid), ",".join(map(str, account.groups))]
    libraries = {name: text for name, text in os.environ.items() if name == "LD_LIBRARY_PATH"}  # Python's own, perhaps
    arguments = [sys.executable, "-I", "-S", str(_PROGRAM), *ids]
    try:
        return subprocess.Popen(  # noqa: S603 - this package's own program
            [*map(os.fsencode, arguments), path.encode()],
            stdin=answers_to.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=libraries,
        )
    except OSError as error:
        raise NotLaunched(
            "NotStarted", f"this machine cannot start the program that enters directories: {error.strerror}"
        ) from error
