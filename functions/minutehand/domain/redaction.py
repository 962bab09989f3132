"""Redaction: secrets are removed from all that is kept of a call: its answer, its log, its error.

A secret is looked for in every plain view of a text: as it is, and with its escapes and base64 undone. Capitals and small letters count as
the same. A text that was changed in another way, such as hashed, encrypted, reversed or cut into pieces, is not found. All work is linear in
the length of the text. Pure.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase

from minutehand.domain.outcome import Outcome
from minutehand.domain.plain_views import undone, view_of, views
from minutehand.domain.run import RunError, RunState

MASK = "****"
"""What replaces a secret. It is no longer than the shortest secret, so that no text grows."""
PIECE = 8
"""Fewest characters by which a piece of a secret is recognized in texts that are cut at several places, such as errors."""
_EDGE = len(MASK)
"""Fewest characters of a secret that are recognized at the end of a text, where the rest may be cut off."""
_STEP = PIECE - _EDGE + 1
"""Each piece has `_EDGE` characters that begin at a multiple of this."""
_PEM_FRAME = re.compile(r"-----(?:begin|end)[ a-z0-9]*-----")
"""The lines around a key or certificate in PEM, folded: no piece of them is secret, and errors have the same words."""
_FOLDED = str.maketrans(f"{ascii_uppercase}+", f"{ascii_lowercase} ")
_WHOLE = frozenset((RunState.SUCCEEDED, RunState.WAITING))
"""How an attempt ends only if the answer was read to its end, or to the limit of what is read."""


def redacted(outcome: Outcome, secrets: Iterable[str], *, pieces: bool = False) -> Outcome:
    """An outcome without the secrets.

    Args:
        pieces: whether also the body may have pieces of them, as logs and errors may.
    """
    hidden, result, error = [*secrets], outcome.result, outcome.error
    if result is not None and (result.body or result.log):
        broken_off = result.cut or outcome.state not in _WHOLE
        body = without_pieces(result.body, hidden) if pieces else without(result.body, hidden, cut=broken_off)
        result = result._replace(body=body, log=result.log and without_pieces(result.log, hidden))
    if error is not None:
        error = RunError(*(without_pieces(text, hidden) for text in error))
    return outcome._replace(result=result, error=error)


def without(text: str, secrets: Iterable[str], *, cut: bool = False) -> str:
    """A text without the secrets.

    Args:
        cut: whether the end of the text may be the beginning of a secret, whose rest was cut off.
    """
    forms = _forms_of(secrets)
    least = _EDGE if cut else min(map(len, forms), default=0)
    if not forms or len(text) < least:
        return text
    return _masked(text, _found(text, forms, least, cut=cut))


def without_pieces(text: str, secrets: Iterable[str]) -> str:
    """A short text without the secrets, and without pieces of at least `PIECE` characters of them: an error quotes texts that are cut."""
    forms = _forms_of(secrets)
    if not forms or len(text) < _EDGE:
        return text
    least = min(PIECE, *map(len, forms))
    return _masked(text, _found(text, forms, least, cut=True, pieces=True))


def _found(
    text: str, forms: Sequence[str], least: int, *, cut: bool, pieces: bool = False
) -> Iterator[tuple[int, int]]:
    """Where secrets or their parts are written in a text."""
    for view in views(text, least, cut=cut):
        plain = _folded(view.text)
        for form in forms:
            at = plain.find(form)
            while at >= 0:
                yield view.span(at, at + len(form))
                at = plain.find(form, at + len(form))
        if pieces:
            for at in _pieces_in(plain, forms):
                yield view.span(at, at + PIECE)
        if cut:
            for end in {len(plain), view.finished}:
                begin = min(_begins_at(plain[max(end - len(form) + 1, 0) : end], form, end) for form in forms)
                if begin < end:
                    yield view.span(begin, end)[0], len(text)


def _masked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    parts: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if start > at or not parts:
            parts += (text[at:start], MASK)
        at = max(at, end)
    return "".join((*parts, text[at:])) if parts else text


def _forms_of(secrets: Iterable[str]) -> Sequence[str]:
    """All forms of the secrets, without white space around them, which a target may have removed."""
    return [*dict.fromkeys(form for secret in secrets for form in _forms(secret.strip()))]


@lru_cache(maxsize=512)
def _forms(secret: str) -> Sequence[str]:
    """How a secret may read in a plain view: also read in another charset than it was written in, and without escapes of its own."""
    texts = [secret]
    if not secret.isascii():
        units = array("H", secret.encode("utf-16", "replace")[2:])
        mistaken = secret.encode("utf-8", "replace").decode("latin-1")
        texts += ("".join(map(chr, units)), mistaken, mistaken.encode().decode("latin-1"))
        if max(secret) <= "\xff":
            texts.append(secret.encode("latin-1").decode("utf-8", "replace"))
    read = dict.fromkeys(_folded(view.text) for text in texts for view in undone(view_of(text)))
    return tuple(form for form in read if len(form) >= _EDGE)


def _folded(text: str) -> str:
    """A text of the same length with small letters for A to Z, and blanks for `+`, since forms write blanks so."""
    if text.isascii():
        return text.lower().replace("+", " ")
    try:
        return text.encode("latin-1").lower().replace(b"+", b" ").decode("latin-1")  # much faster than the line below
    except UnicodeEncodeError:
        return text.translate(_FOLDED)


def _pieces_in(text: str, forms: Sequence[str]) -> Iterator[int]:
    """Where pieces begin."""
    pieces, starts = _pieces(tuple(forms))
    for at in range(0, len(text) - _EDGE + 1, _STEP):
        if text[at : at + _EDGE] in starts:
            for begin in range(max(at - _STEP + 1, 0), at + 1):
                if text[begin : begin + PIECE] in pieces:
                    yield begin


@lru_cache(maxsize=64)
def _pieces(forms: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """All pieces of secrets, and all of `_EDGE` characters of those that have pieces."""
    long = [part for form in forms for part in _PEM_FRAME.split(form) if len(part) >= PIECE]
    pieces, starts = (
        frozenset(form[n : n + size] for form in long for n in range(len(form) - size + 1)) for size in (PIECE, _EDGE)
    )
    return pieces, starts


def _begins_at(tail: str, form: str, end: int) -> int:
    """Where a secret begins whose rest is cut off at the end of a text; the end if none does.

    Args:
        tail: the last characters of the text, fewer than the secret has.
        end: of the text.
    """
    if form[:_EDGE] not in tail:
        return end
    # Knuth, Morris and Pratt: how much of the secret ends at each character.
    borders, known = _borders(form), 0
    for char in tail:
        while known and form[known] != char:
            known = borders[known - 1]
        known += form[known] == char
    return end - known if known >= _EDGE else end


@lru_cache(maxsize=64)
def _borders(form: str) -> Sequence[int]:
    """For each beginning of a text: how long is the longest other beginning with which it ends."""
    found, known = array("I", [0]), 0
    for char in form[1:]:
        while known and form[known] != char:
            known = found[known - 1]
        known += form[known] == char
        found.append(known)
    return found
