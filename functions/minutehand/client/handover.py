"""A file in memory by which a process hands a JSON document to the process that started it, whatever it writes elsewhere."""

import json
import os
from fcntl import F_ADD_SEALS, F_SEAL_GROW, F_SEAL_SEAL, F_SEAL_SHRINK, fcntl
from typing import Any, NoReturn, Self

LARGEST = 1024 * 1024
"""Most bytes of a document. A result of 250,000 bytes may be three times as long in ASCII."""
_SIZE = 8
"""Bytes of the length, with which the file begins. It is written last: 0 means that there is no whole document."""


class Handover:
    """One document, from a child process to its parent. The file has a fixed size: a child cannot fill the memory by it.

    Attributes:
        fd: the file descriptor, which the parent passes on to the child alone.
    """

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._pid = os.getpid()
        self._identity = self._stat()

    @classmethod
    def made(cls) -> Self:
        """One for a child that is yet to be started. Raises OSError."""
        fd = os.memfd_create("handover", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.truncate(fd, LARGEST)
        fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)
        return cls(fd)

    @classmethod
    def inherited(cls, fd: int) -> Self:
        """The one that this process got when it was started. What it starts does not get it. Raises OSError."""
        os.set_inheritable(fd, False)  # noqa: FBT003 - as Python has it
        return cls(fd)

    def write(self, document: Any) -> None:
        """Hand the document over. A copy of the process that was forked meanwhile hands nothing over.

        Raises:
            OSError: if the document is too long, or something has closed the file.
        """
        if os.getpid() != self._pid:
            return
        if self._stat() != self._identity:
            raise OSError("the file by which the outcome is handed over was closed, and another opened in its place")
        text = json.dumps(document, allow_nan=False).encode("ascii")
        if _SIZE + len(text) > LARGEST:
            raise OSError(f"the document has {len(text):,} bytes; {LARGEST - _SIZE:,} is the most")
        written = 0
        while written < len(text):
            written += os.pwrite(self.fd, text[written:], _SIZE + written)
        os.pwrite(self.fd, len(text).to_bytes(_SIZE, "big"), 0)

    def read(self) -> Any:
        """The document; None if there is no whole one."""
        size = int.from_bytes(os.pread(self.fd, _SIZE, 0), "big")
        if not 0 < size <= LARGEST - _SIZE:
            return None
        try:
            return json.loads(os.pread(self.fd, size, _SIZE), parse_constant=_refuse)
        except (ValueError, RecursionError):  # the child's code may write anything to it
            return None

    def close(self) -> None:
        """Close it here."""
        os.close(self.fd)

    def _stat(self) -> tuple[int, int]:
        found = os.fstat(self.fd)
        return found.st_dev, found.st_ino


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")
