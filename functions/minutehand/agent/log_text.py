"""The text of a log: what a command has written, with times. `minutehand.domain.attempt_log` describes it, and reads it for the API."""

import gzip
import zlib
from datetime import UTC, datetime

LONGEST_PIECE = 16_384
"""Most bytes of an entry; a longer line becomes several."""
_GZIP = 16 + zlib.MAX_WBITS
_AT_ONCE = 1024 * 1024
_CONTINUING = bytes(range(0x80, 0xC0))


def instant() -> str:
    """The present, as RFC 3339 in UTC with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class LogText:
    """Makes entries of chunks. It holds the beginning of a line that has not ended."""

    def __init__(self) -> None:
        self._at = ""
        self._open = b""

    def entries(self, at: str, data: bytes) -> bytes:
        """The entries that a chunk ends, which was read at an instant."""
        self._at = self._at if self._open else at
        first, *others = (self._open + data).split(b"\n")
        found = []
        for line in (first, *others)[:-1]:
            found.append(_entry(self._at, line, ended=True))
            self._at = at
        self._open = others[-1] if others else first
        if len(self._open) >= LONGEST_PIECE:
            found.append(self.rest())
        return b"".join(found)

    def rest(self, *, final: bool = False) -> bytes:
        """The entry of a line that has not ended, if there is one. Unless it is final, what has come of a last character of UTF-8 stays."""
        end = len(self._open) if final else len(self._open) - _begun(self._open[-3:])
        rest, self._open = self._open[:end], self._open[end:]
        return _entry(self._at, rest, ended=False) if rest else b""


def note(text: str) -> bytes:
    """An entry of the agent itself."""
    return f"{instant()} note {text}\n".encode()


def missing(size: int, why: str) -> bytes:
    """The entry that says how many bytes are missing."""
    return note(f"{size:,} bytes of the output are missing here: {why}")


def member(text: bytes) -> bytes:
    """A piece of a log as it is stored."""
    return gzip.compress(text, compresslevel=3, mtime=0)


def whole_members(stored: bytes) -> int:
    """How many bytes at the beginning are whole members."""
    length = 0
    while length < len(stored):
        reader = zlib.decompressobj(_GZIP)
        rest = stored[length:]
        try:
            while rest and not reader.eof:
                reader.decompress(rest, _AT_ONCE)  # what it says does not matter, and may be much
                rest = reader.unconsumed_tail
        except zlib.error:
            break
        if not reader.eof:
            break
        length = len(stored) - len(reader.unused_data)
    return length


def _begun(end: bytes) -> int:
    """How many bytes at an end begin a character of UTF-8 that is not complete."""
    for size, byte in enumerate(reversed(end), 1):
        if byte not in _CONTINUING:
            return size if size < (byte >= 0xC0) + (byte >= 0xC0) + (byte >= 0xE0) + (byte >= 0xF0) else 0
    return 0


def _entry(at: str, line: bytes, *, ended: bool) -> bytes:
    pieces = []
    while len(line) > LONGEST_PIECE:
        end = LONGEST_PIECE
        while line[end] in _CONTINUING and end > LONGEST_PIECE - 4:
            end -= 1
        pieces.append(line[:end])
        line = line[end:]
    begin = f"{at} out".encode()
    return (
        b"".join(begin + b"+ " + piece + b"\n" for piece in pieces) + begin + (b" " if ended else b"+ ") + line + b"\n"
    )
