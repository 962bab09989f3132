"""The log of one attempt, from the reader of its command to a file in the spool folder. Its memory is bounded."""

import json
import os
import shutil
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path
from time import monotonic, time
from typing import Any, NamedTuple

from minutehand.agent import log_text
from minutehand.agent.order import Key
from minutehand.agent.own_file import opened

HEAD = 56 * 1024 * 1024
"""Bytes of the beginning of an output that are kept."""
TAIL = 8 * 1024 * 1024
"""Bytes of its end that are kept, if it is longer."""
LONGEST_PART = 1024 * 1024
"""Bytes of text with which a part is full. The API reads members of up to 4 MiB."""
_AT_ONCE = 16_384
"""Bytes of output that are made text at once: of the shortest lines, that is 31 times as long."""
MOST_PENDING = 8 * 1024 * 1024
"""Most bytes that wait in memory to be written down."""
FIRST_PART = 5.0
"""Seconds after the beginning of a command at which the first part is made: shorter ones need none."""
KEPT_FOR = 86_400.0
"""Seconds after which what could not be sent is dropped."""
_FILE, _ABOUT = "log.gz", "about.json"
_LONGEST_ABOUT, _LONGEST_FILE = 16 * 1024, 2 * (HEAD + TAIL)
"""Most bytes that are read of what another process has left."""


class Space:
    """The space of the spool folder, in bytes. Thread-safe."""

    def __init__(self, limit: int) -> None:
        self._left = limit
        self._lock = threading.Lock()

    def take(self, size: int) -> bool:
        """Take some; False if that is not left."""
        with self._lock:
            if size > self._left:
                return False
            self._left -= size
            return True

    def give_back(self, size: int) -> None:
        """Free what was taken."""
        with self._lock:
            self._left += size


class Part(NamedTuple):
    """A piece of the file: its number from 1, and where it is."""

    number: int
    offset: int
    size: int


class AttemptLog:
    """The log of one attempt. `add` is for the reader of its command, and never waits; the rest is for the threads of `LogSender`.

    Attributes:
        parts: what the file has, in order; those that were sent are removed.
        ended: whether the file is complete.
        wanted: whether it is to be sent: part of it was, or what is reported has not all of it.
    """

    def __init__(self, key: Key, token: str, folder: Path, space: Space) -> None:
        self.key = key
        self.token = token
        self.parts: deque[Part] = deque()
        self.ended = False
        self.wanted = False
        self.size = 0
        self._folder = folder
        self._space = space
        self._count = 0
        self._kept = False
        self._lock = threading.Lock()  # of what `add` changes
        self._pending: deque[tuple[str, bytes]] = deque()
        self._waiting = 0
        self._lost = 0
        self._over: bool | None = None
        self._text = log_text.LogText()
        self._made = bytearray()
        self._in_made = 0
        self._taken = 0
        self._tail: deque[tuple[int, bytes]] = deque()
        self._cut = 0
        self._missing = 0
        self._why = self._trouble = ""
        self._told_trouble = False
        self._next = monotonic() + FIRST_PART

    def add(self, data: bytes) -> None:
        """Take what the command has written."""
        at = log_text.instant()
        with self._lock:
            if self._over is not None:  # nobody writes it down any more
                return
            if self._waiting + len(data) > MOST_PENDING:
                self._lost += len(data)
            elif data:
                self._pending.append((at, data))
                self._waiting += len(data)

    def end(self, *, wanted: bool) -> None:
        """Take nothing more. wanted: whether it is to be sent even if no part was."""
        with self._lock:
            self._over = wanted

    @property
    def is_full(self) -> bool:
        """Whether there is enough for a part."""
        return self._waiting >= LONGEST_PART

    def write(self, every: float) -> None:
        """Write down what was taken: as parts, if enough came, or it is time. every: seconds between two parts."""
        with self._lock:
            pending, self._pending = self._pending, deque()
            self._waiting = 0
            lost, self._lost = self._lost, 0
            over = self._over
        for at, data in pending:
            for begin in range(0, len(data), _AT_ONCE):
                piece = data[begin : begin + _AT_ONCE]
                self._made += self._text.entries(at, piece)
                self._in_made += len(piece)
                if len(self._made) >= LONGEST_PART:
                    self._flush()
        if lost:
            self._flush()
            self._miss(lost, "the command wrote faster than its output could be written down")
        if self.ended:
            return
        if over is not None:
            if over or self._count:
                self._flush()
                self._write_tail()
            self.wanted = self.size > 0
            self.ended = True
        elif monotonic() >= self._next and (self._in_made or self._missing):
            self._flush()
            self._next = monotonic() + every

    def trouble(self) -> str:
        """Why part of it could not be written; empty if all could, or if that was told."""
        if self._told_trouble or not self._trouble:
            return ""
        self._told_trouble = True
        return self._trouble

    def piece(self, part: Part) -> bytes:
        """The stored bytes of a part."""
        with opened(self._folder / _FILE, "rb") as file:
            file.seek(part.offset)
            return bytes(file.read(part.size))

    def whole(self) -> bytes:
        """The stored bytes of the whole log."""
        with opened(self._folder / _FILE, "rb") as file:
            return bytes(file.read())

    def drop(self) -> None:
        """Remove what is stored."""
        self.parts.clear()
        if self._count:  # otherwise the folder may be that of another log of the attempt
            shutil.rmtree(self._folder, ignore_errors=True)
        self._space.give_back(self.size)
        self.size = 0

    def keep(self) -> None:
        """Store the attempt's token beside the file, so that the next process of the node can send it. Only once the attempt is over: until
        then, every command that may read the folder could end it by that token."""
        if not self._kept:
            self._kept = True
            with suppress(OSError), opened(self._folder / _ABOUT) as file:
                file.write(json.dumps({**self.key._asdict(), "token": self.token}).encode())

    def resume(self) -> None:
        """Take over a file that is there, to be sent."""
        self._count = 1
        self.wanted = self.ended = self._kept = True

    @property
    def is_late(self) -> bool:
        """Whether it is too old to be sent."""
        try:
            return time() - (self._folder / _FILE).stat().st_mtime >= KEPT_FOR
        except OSError:
            return True

    def _flush(self) -> None:
        """Make a member of what there is, for the file or, beyond the beginning that is kept, for the end."""
        over = self._over is not None
        if not (self._in_made or over):
            return
        made = bytes(self._made) + self._text.rest(final=over)
        length, self._in_made = self._in_made, 0
        self._made.clear()
        if not made:
            return
        stored = log_text.member(made)
        self._taken += length
        if self._taken <= HEAD:
            if not self._append(stored):
                self._miss(length, self._why)
            return
        self._tail.append((length, stored))
        while sum(each for each, _ in self._tail) - self._tail[0][0] >= TAIL:
            self._cut += self._tail.popleft()[0]

    def _write_tail(self) -> None:
        if self._cut:
            self._miss(self._cut, f"of an output, the first {HEAD:,} bytes and the end are kept")
        for length, stored in self._tail:
            if not self._append(stored):
                self._miss(length, self._why)
        self._tail.clear()
        self._tell_missing()

    def _miss(self, size: int, why: str) -> None:
        self._missing += size
        self._why = why

    def _append(self, stored: bytes) -> bool:
        """Append a member to the file, behind a mark of what is missing. Returns whether that worked: a full disk costs the log, not the run."""
        return self._tell_missing() and self._stored(stored)

    def _tell_missing(self) -> bool:
        if self._missing and not self._stored(log_text.member(log_text.missing(self._missing, self._why))):
            return False
        self._missing = 0
        return True

    def _stored(self, stored: bytes) -> bool:
        if not self._space.take(len(stored)):
            self._why = self._trouble = "the agent's spool folder was full"
            return False
        try:
            if not self._count:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with opened(self._folder / _FILE) as file:
                file.truncate(self.size)  # half a piece may be there, of a disk that was full
                file.seek(self.size)
                file.write(stored)
        except OSError as error:
            self._space.give_back(len(stored))
            self._why = self._trouble = f"the agent could not write its spool folder: {error.strerror or error}"
            return False
        self._count += 1
        self.parts.append(Part(self._count, self.size, len(stored)))
        self.size += len(stored)
        return True


def recovered(folder: Path, space: Space) -> AttemptLog | None:
    """The log that a process before this one has left in a folder; None if there is nothing to send, as of an attempt that was not over."""
    try:
        with opened(folder / _ABOUT, "rb") as file:
            about = json.loads(file.read(_LONGEST_ABOUT))
        log = AttemptLog(_key(about), _text(about["token"]), folder, space)
        with opened(folder / _FILE, "rb") as file:
            fresh = time() - os.fstat(file.fileno()).st_mtime < KEPT_FOR
            log.size = log_text.whole_members(file.read(_LONGEST_FILE)) if fresh else 0
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):  # whatever the file has in it
        shutil.rmtree(folder, ignore_errors=True)
        return None
    if not log.size:
        shutil.rmtree(folder, ignore_errors=True)
        return None
    space.take(log.size)
    log.resume()
    return log


def _key(about: dict[str, Any]) -> Key:
    return Key(_text(about["job"]), _text(about["run_id"]), int(about["attempt"]))


def _text(found: Any) -> str:
    if not isinstance(found, str):
        raise TypeError("no text")
    return found
