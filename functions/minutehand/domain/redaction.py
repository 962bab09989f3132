"""Redaction: secrets are removed from all that is kept of a call: its answer, its log, its error.

A secret is found as it is, as JSON, HTML and percent-encoding write it, also several times over, and within base64. A text that was changed in
another way, such as hashed, encrypted, reversed or cut into pieces, is not found. Pure.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from minutehand.domain.outcome import Outcome
from minutehand.domain.run import RunError, RunState

MASK = "****"
"""What replaces a secret. It is no longer than the shortest secret, so that no text grows."""
PIECE = 8
"""Fewest characters by which a piece of a secret is recognized in texts that are cut at several places, such as errors."""
_EDGE = len(MASK)
"""Fewest characters of a secret that are recognized at the end of a text, where the rest may be cut off."""
_WHOLE = frozenset((RunState.SUCCEEDED, RunState.WAITING))
"""How an attempt ends only if the answer was read to its end, or to the limit of what is read."""
_LONGEST_PATTERN = 4_096
"""Most characters of a secret that is found however it is escaped; of a longer one only the usual forms are, since its pattern is large."""
_LONGEST_ESCAPE = 24
"""Fewest characters that no escape of a single character has."""
_PLAIN = re.compile(r"[A-Za-z0-9_.-]*")
"""Texts that every common encoding leaves as they are, and whose base64 has neither + nor /."""
_SHORT_ESCAPES = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}
_TO_URL_SAFE = str.maketrans("+/", "-_")
_quote_all = partial(quote, safe="")
_NAMED = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}


def redacted(outcome: Outcome, secrets: Iterable[str]) -> Outcome:
    """An outcome without the secrets."""
    found, result, error = _longest_first(secrets), outcome.result, outcome.error
    if result is not None and (result.body or result.log):
        broken_off = result.cut or outcome.state not in _WHOLE
        log = result.log and without_pieces(result.log, found)
        result = result._replace(body=without(result.body, found, cut=broken_off), log=log)
    if error is not None:
        error = RunError(*(without_pieces(text, found) for text in error))
    return outcome._replace(result=result, error=error)


def without(text: str, secrets: Iterable[str], *, cut: bool = False) -> str:
    """A text without the secrets.

    Args:
        cut: whether the end of the text may be the beginning of a secret, whose rest was cut off.
    """
    if not text:
        return text
    found = _longest_first(secrets)
    for secret in found:
        if not _is_literal(secret):
            for shape in _shapes(secret):
                text = shape.whole.sub(MASK, text)
        elif len(text) >= len(secret):  # a shorter text can contain no form of it; most answers are short
            for form in _forms(secret):
                text = text.replace(form, MASK)
    end = min((_begins_at(text, secret) for secret in found), default=len(text)) if cut else len(text)
    return text if end == len(text) else text[:end] + MASK


def without_pieces(text: str, secrets: Iterable[str]) -> str:
    """A short text without the secrets, and without pieces of at least `PIECE` characters of them: an error quotes texts that are cut."""
    found = _longest_first(secrets)
    text = without(text, found, cut=True)
    marked = bytearray(len(text))
    for secret in found:
        pieces = _pieces(secret)
        for at in range(len(text) - PIECE + 1):
            if text[at : at + PIECE] in pieces:
                marked[at : at + PIECE] = b"\1" * PIECE
    if not any(marked):
        return text
    spans = re.finditer(rb"\x01+|\x00+", bytes(marked))
    return "".join(MASK if span[0][0] else text[span.start() : span.end()] for span in spans)


def _longest_first(secrets: Iterable[str]) -> Sequence[str]:
    """The secrets without white space around them, which a target may have removed; one that contains another comes first."""
    return sorted(filter(None, {secret.strip() for secret in secrets}), key=len, reverse=True)


def _forms(secret: str) -> list[str]:
    """A secret as the most usual encodings write it."""
    if _PLAIN.fullmatch(secret):
        return [secret, *_in_base64(secret)]
    found = [
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        *_mistaken(secret),
        *(encode(secret, errors="replace") for encode in (quote, quote_plus, _quote_all)),
    ]
    for core in _in_base64(secret):
        found.append(core)
        if "+" in core or "/" in core:
            found.append(core.translate(_TO_URL_SAFE))
    return [*dict.fromkeys(form for form in found if len(form) >= _EDGE)]


@lru_cache(maxsize=64)
def _pieces(secret: str) -> frozenset[str]:
    return frozenset(form[n : n + PIECE] for form in _forms(secret) for n in range(len(form) - PIECE + 1))


def _in_base64(secret: str) -> list[str]:
    """The characters that a secret alone decides in the base64 of a longer text, for each of the places at which it may begin there."""
    data = secret.encode("utf-8", "replace")
    return [
        base64.b64encode(b"\0" * before + data)[-(-before * 8 // 6) : (before + len(data)) * 8 // 6].decode("ascii")
        for before in range(3)
    ]


def _is_literal(secret: str) -> bool:
    """Whether a secret is found by its forms alone, and not by patterns."""
    return len(secret) > _LONGEST_PATTERN or _PLAIN.fullmatch(secret) is not None


def _begins_at(text: str, secret: str) -> int:
    """Where a secret begins whose rest is cut off at the end of a text; the end of the text if none does."""
    if _is_literal(secret):
        return min(_form_begins_at(text, form) for form in _forms(secret))
    return min(shape.begins_at(text) for shape in _shapes(secret))


def _form_begins_at(text: str, form: str) -> int:
    start = form[:_EDGE]
    at = text.find(start, max(len(text) - len(form) + 1, 0))
    while at >= 0:
        if form.startswith(text[at:]):
            return at
        at = text.find(start, at + 1)
    return len(text)


class _Shape(NamedTuple):
    """How a text may be written: a pattern of each of its characters in turn.

    Attributes:
        whole: matches the whole text.
        start: matches its first characters.
    """

    whole: re.Pattern[str]
    start: re.Pattern[str]
    units: Sequence[str]

    @classmethod
    def of(cls, units: Sequence[str]) -> _Shape:
        return cls(re.compile("".join(units)), re.compile("".join(units[:_EDGE])), units)

    def begins_at(self, text: str) -> int:
        """Where it begins if its rest is cut off at the end of a text, perhaps within a character; the end of the text if it does not."""
        for found in self.start.finditer(text, max(len(text) - _LONGEST_ESCAPE * len(self.units), 0)):
            at = found.end()
            for unit in self.units[_EDGE:]:
                after = re.compile(unit).match(text, at)
                if after is None:
                    break
                at = after.end()
            if len(text) - at < _LONGEST_ESCAPE:
                return found.start()
        return len(text)


@lru_cache(maxsize=64)
def _shapes(secret: str) -> Sequence[_Shape]:
    """How a secret may be written, however its characters are escaped, and its base64."""
    cores = ([*map(_of_base64, core)] for core in _in_base64(secret))
    others = ([*map(re.escape, text)] for text in _mistaken(secret))
    return [_Shape.of(units) for units in ([*map(_escaped, _runs(secret))], *cores, *others)]


def _mistaken(secret: str) -> Sequence[str]:
    """A secret read in another charset than it was written in."""
    if secret.isascii():
        return ()
    return (
        secret.encode("utf-8", "replace").decode("latin-1"),
        secret.encode("latin-1", "replace").decode("utf-8", "replace"),
    )


def _runs(text: str) -> list[str]:
    """The characters of a text; backslashes that follow each other together, since each encoding multiplies them."""
    return re.findall(r"\\+|[^\\]", text)


def _escaped(char: str) -> str:
    """A pattern of one character however it is escaped, up to several times. No part of it can match in two ways, so that no answer makes
    the search slow."""
    if _PLAIN.fullmatch(char):
        return re.escape(char)
    if char.startswith("\\"):
        return rf"(?:\\{{{len(char)},{8 * len(char)}}}+|(?:%(?:25){{0,3}}+5[cC]){{{len(char)},{8 * len(char)}}}+)"
    data = char.encode("utf-8", "replace")
    percent = "".join(_percent(byte) for byte in data)
    units = char.encode("utf-16-be", "replace").hex()
    unicode = "".join(rf"\\{{1,8}}+u{_any_case(units[n : n + 4])}" for n in range(0, len(units), 4))
    numeric = rf"&(?:amp;){{0,3}}+#(?:0{{0,4}}+{ord(char)}|[xX]0{{0,4}}+{_any_case(f'{ord(char):x}')});"
    found = [percent, unicode, numeric]
    if char in _NAMED:
        found.append(rf"&(?:amp;){{0,3}}+{_NAMED[char]};" if char != "&" else "&(?:amp;){1,4}")
    if char in _SHORT_ESCAPES:
        found.append(rf"\\{{1,8}}+{_SHORT_ESCAPES[char]}")
    found.append(rf"\\{{0,8}}+{re.escape(char)}")
    if char == " ":
        found.append(r"\+")
    if char == "\n":
        found.append("\r\n")
    return f"(?:{'|'.join(found)})"


def _of_base64(char: str) -> str:
    """A pattern of a character of base64, in either alphabet, however it is escaped."""
    return rf"(?:{_escaped(char)}|{re.escape(char.translate(_TO_URL_SAFE))})" if char in "+/" else char


def _percent(byte: int) -> str:
    return r"%(?:25){1,4}" if byte == ord("%") else rf"%(?:25){{0,3}}+{_any_case(f'{byte:02x}')}"


def _any_case(digits: str) -> str:
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits)
