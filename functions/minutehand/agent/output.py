"""A command's output: its end is kept, its bytes are counted, and lines of progress are taken out."""

import json
import re
from collections.abc import Callable
from typing import NamedTuple

KEPT = 65_536
"""Bytes of the end of an output that are kept."""
LONGEST_REPORTED = 200 * 1024
"""Most bytes of an output in a report. As JSON, control characters and bytes in no encoding are longer than they were."""
LONGEST_LINE = 1024
"""Most bytes of a line of progress; a longer line is output."""
LONGEST_PROGRESS = 200
"""Most characters of the text of progress."""

_PREFIX = b"::progress"
_PROGRESS = re.compile(rb"^::progress[ \t]([^\r\n]{0,%d}+)\r?\n" % LONGEST_LINE, re.MULTILINE)
"""Takes linear time, since it never goes back: whoever writes the output may choose it to be slow."""
_PERCENT = re.compile(r"(?:(100|[0-9]{1,2})%?|-)(?:\s+|$)", re.ASCII)
"""A percentage, or `-` for none, before a text that may begin with a number."""
_CONTINUING = bytes(range(0x80, 0xC0))
_NOT_IN_TEXT = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class Step(NamedTuple):
    """How far a command says it is: 0 to 100, a line of text, or both."""

    percent: int | None
    text: str | None


class Output:
    """What a command writes, in the order in which it writes. Its memory is bounded, however much that is.

    Attributes:
        size: bytes of the output so far, without lines of progress.
        step: the latest progress.
    """

    def __init__(self, record: Callable[[bytes], None] | None = None) -> None:
        """Args:
        record: gets all of it, as it comes; it must not wait.
        """
        self._record = record
        self.size = 0
        self.step: Step | None = None
        self._end = bytearray()
        self._fragment = b""  # the beginning of a line that may be one of progress
        self._in_line = False  # whether output continues a line, whose beginning was something else

    def feed(self, data: bytes) -> None:
        """Take what the command has written."""
        data = self._fragment + data
        self._fragment = b""
        if self._in_line:
            rest = data.find(b"\n") + 1
            if not rest:
                self._keep(data)
                return
            self._keep(data[:rest])
            data = data[rest:]
        whole = data.rfind(b"\n") + 1
        self._lines(data[:whole])
        last = data[whole:]
        if len(last) <= LONGEST_LINE and (last.startswith(_PREFIX) or _PREFIX.startswith(last)):
            self._fragment = last
        else:
            self._keep(last)
        self._in_line = bool(last) and not self._fragment

    def close(self) -> None:
        """Take the last line, which may have no end."""
        last, self._fragment = self._fragment, b""
        if _PROGRESS.fullmatch(last + b"\n"):
            self._lines(last + b"\n")
        else:
            self._keep(last)

    @property
    def text(self) -> str:
        """The end of the output. What is no UTF-8 is replaced."""
        end = bytes(self._end[-KEPT:])
        if self.size > len(end):
            end = end[_cut_through(end) :]
        text = end.decode("utf-8", "replace")
        while (excess := len(json.dumps(text, ensure_ascii=False).encode()) - LONGEST_REPORTED) > 0:
            text = text[max(1, excess // 6) :]
        return text

    @property
    def last_line(self) -> str:
        """The last line that is not empty, as plain text; empty if there is none."""
        lines = self.text[-LONGEST_LINE:].splitlines()
        return next((line for each in reversed(lines) if (line := plain(each))), "")

    def _lines(self, lines: bytes) -> None:
        """Take whole lines."""
        begin = 0
        for found in _PROGRESS.finditer(lines):
            step = _step(found[1])
            if step is not None:
                self._keep(lines[begin : found.start()])
                begin = found.end()
                self.step = step
        self._keep(lines[begin:])

    def _keep(self, data: bytes) -> None:
        self.size += len(data)
        if self._record is not None:
            self._record(data)
        self._end += data[-KEPT:]
        if len(self._end) > 2 * KEPT:
            del self._end[:-KEPT]


def plain(text: str) -> str:
    """A text as one line, without control characters."""
    return " ".join(_NOT_IN_TEXT.sub(" ", text).split())


def _step(line: bytes) -> Step | None:
    text = line.decode("utf-8", "replace").strip()
    found = _PERCENT.match(text)
    rest = plain(text[found.end() :] if found else text)[:LONGEST_PROGRESS]
    percent = int(found[1]) if found and found[1] else None
    return Step(percent, rest or None) if percent is not None or rest else None


def _cut_through(data: bytes) -> int:
    """How many bytes at the beginning continue a character of UTF-8 that was cut through."""
    inside = len(data[:4]) - len(data[:4].lstrip(_CONTINUING))
    return inside if inside < 4 else 0
