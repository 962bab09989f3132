"""Plain views of a text: how it reads after the encodings in which it may be written are undone. Pure.

A view knows where each of its characters comes from. All work is linear in the length of the text: each of a fixed number of steps reads it
once.
"""

from __future__ import annotations

import re
from array import array
from binascii import a2b_base64
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

TIMES = 5
"""How many times escapes are undone: those of JSON, HTML and percent-encoding, in any order."""
BASE64_TIMES = 2
"""How many times base64 is undone."""

_HEX = "[0-9A-Fa-f]"
_ESCAPE = re.compile(
    "|".join(
        (
            rf"%{_HEX}{{2}}(?:%{_HEX}{{2}})*",
            r"\\[\"'\\/nrtbf](?:\\[\"'\\/nrtbf])*",
            *(rf"{mark}{_HEX}{{{n}}}(?:{mark}{_HEX}{{{n}}})*" for mark, n in ((r"\\u", 4), ("%u", 4), (r"\\x", 2))),
            r"&(?:amp|lt|gt|quot|apos|#[0-9]{1,10}|#[xX][0-9A-Fa-f]{1,8});",
            r"\r\n(?:\r\n)*",
        )
    )
)
"""Characters as an encoding writes them. Equal ones in a row are undone together. Each alternative begins with a character and not with a
group, since then `re` skips all other characters fast."""
_UNFINISHED = re.compile(
    r"(?:%(?:[0-9A-Fa-f]|u[0-9A-Fa-f]{0,3})?|\\(?:u[0-9A-Fa-f]{0,3}|x[0-9A-Fa-f]?)?|&#?\w{0,10})\Z"
)
"""The beginning of an escape at the end of a text, where the rest may be cut off."""
_LONGEST_UNFINISHED = 12
_SHORT = str.maketrans("nrtbf", "\n\r\t\b\f")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_LAST_CODE = 0x10FFFF
_IN_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
_TO_BASE64 = bytes(ord("/") if each == ord("_") else ord("+") if each == ord("-") else each for each in _IN_BASE64)
_ALPHABET = bytes(dict(zip(_IN_BASE64, _TO_BASE64, strict=True)).get(byte, ord("A")) for byte in range(256))
"""Makes both alphabets of base64 one. What belongs to none becomes `A`, so that all is decoded in one step."""
_LONGEST_RUN = 40
"""Most characters of base64 that are looked for before a text is decoded, so that the search is short at each place."""


class View(NamedTuple):
    """A text after some encodings are undone.

    Attributes:
        span: where the characters from a start to an end come from in the original text.
    """

    text: str
    span: Callable[[int, int], tuple[int, int]]

    @property
    def finished(self) -> int:
        """The end of the text without an escape that may be cut off."""
        tail = max(len(self.text) - _LONGEST_UNFINISHED, 0)
        found = _UNFINISHED.search(self.text, tail)
        return len(self.text) if found is None else found.start()


def views(text: str, least: int, *, cut: bool = False) -> Iterator[View]:
    """All views of a text in which at least so many characters together may be of interest; first the text itself.

    Bytes, as percent-encoding and base64 have them, become one character each, as in Latin-1.

    Args:
        cut: whether the end of the text may be cut off.
    """
    run = _run(min(least * 8 // 6, _LONGEST_RUN))
    starts = [View(text, _same)]
    for _ in range(BASE64_TIMES):
        decoded: list[View] = []
        for start in starts:
            last = start
            for last in undone(start):
                yield last
            if run.search(last.text):
                decoded += _from_base64(last, last.finished if cut else len(last.text))
        starts = decoded
    for view in starts:
        yield from undone(view)


def undone(view: View) -> Iterator[View]:
    """A view, then those without one, two and more levels of escapes."""
    yield view
    for _ in range(TIMES):
        if (found := _ESCAPE.search(view.text)) is None:
            return
        view = _without_escapes(view, found.start())
        yield view


def view_of(text: str) -> View:
    """A text as it is."""
    return View(text, _same)


def _same(start: int, end: int) -> tuple[int, int]:
    return start, end


def _without_escapes(view: View, first: int) -> View:
    text = view.text
    parts: list[str] = []
    # For each stretch of the result: where it begins, where it comes from, and from how many characters each of its own.
    begins, origins, widths = array("I", [0]), array("I", [0]), array("I", [1])
    length, at = 0, 0
    for found in _ESCAPE.finditer(text, first):
        start, end = found.span()
        plain, width = _plain(found[0])
        parts += (text[at:start], plain)
        length += start - at
        begins.append(length)
        origins.append(start)
        widths.append(width)
        length += len(plain)
        begins.append(length)
        origins.append(end)
        widths.append(1)
        at = end
    parts.append(text[at:])

    def span(start: int, end: int) -> tuple[int, int]:
        one, last = bisect_right(begins, start) - 1, bisect_right(begins, end - 1) - 1
        return view.span(
            origins[one] + (start - begins[one]) * widths[one], origins[last] + (end - begins[last]) * widths[last]
        )

    return View("".join(parts), span)


def _plain(escapes: str) -> tuple[str, int]:
    """What escapes mean, and how many characters each has."""
    match escapes[:2]:
        case "\\u" | "\\x" | "%u":
            codes = escapes[2:].split(escapes[:2])
            return "".join([chr(int(code, 16)) for code in codes]), 2 + len(codes[0])
        case "&#":
            digits = escapes[2:-1]
            code = int(digits[1:], 16) if digits[0] in "xX" else int(digits)
            return (chr(code), len(escapes)) if code <= _LAST_CODE else (escapes, 1)
    match escapes[0]:
        case "%":
            return bytes.fromhex(escapes.replace("%", "")).decode("latin-1"), 3
        case "&":
            return _NAMED[escapes[1:-1]], len(escapes)
        case _:
            return escapes[1::2].translate(_SHORT), 2


def _from_base64(view: View, end: int) -> Iterator[View]:
    """A text read as base64 that begins at its first, second, third or fourth character: one of them fits each base64 in it."""
    data = view.text[:end].encode("ascii", "replace").translate(_ALPHABET)
    for skipped in range(min(4, len(data))):
        piece = data[skipped:]
        found = a2b_base64(piece + b"A" * (-len(piece) % 4))[: len(piece) * 6 // 8]
        yield View(found.decode("latin-1"), _before_base64(view, skipped))


def _before_base64(view: View, skipped: int) -> Callable[[int, int], tuple[int, int]]:
    return lambda start, end: view.span(skipped + start * 8 // 6, skipped - (-end * 8 // 6))


@lru_cache(maxsize=64)
def _run(length: int) -> re.Pattern[str]:
    return re.compile(rf"[A-Za-z0-9+/_-]{{{length}}}")
