"""The body of a target's answer as text; of a long body, only the beginning."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from typing import NamedTuple

from urllib3.response import BaseHTTPResponse

BODY_BYTES = 1024 * 1024
"""Most bytes of a body that are read and kept. A worker holds up to ten bodies at once."""
DESCRIBED_BYTES = 4096
"""Most bytes that are read of a body that is not text; only a description of it is kept."""
_PIECE = 64 * 1024

_TEXT = re.compile(
    r"text/.*|.*\+(json|xml)|application/(json|x-ndjson|xml|javascript|yaml|x-yaml|toml|graphql|x-www-form-urlencoded)"
)
_NEVER_TEXT = re.compile(r"(image|audio|video|font)/.*")
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([\w.:+-]{1,40})", re.ASCII | re.IGNORECASE)
_NOT_CHARSETS = ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape")
"""Codecs of Python that are not charsets of the web."""
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]{1,100}/[a-z0-9!#$&^_.+-]{1,100}", re.ASCII)
_ENCODINGS = re.compile(r"[a-z0-9-]{1,20}(, ?[a-z0-9-]{1,20}){0,3}", re.ASCII)
"""What is repeated of an answer's `Content-Encoding`: never a part of it, which might be a part of a secret that redaction cannot find."""


class Beginning(NamedTuple):
    """The part of a body that was read.

    Attributes:
        data: at most `BODY_BYTES`.
        whole: whether this is the whole body.
        length: length of the whole body in bytes, if known.
        error: the reason why reading stopped early.
    """

    data: bytes
    whole: bool
    length: int | None
    error: Exception | None = None


def read_beginning(response: BaseHTTPResponse) -> Beginning:
    """Read the first bytes of a body, without decoding its content encoding; only `DESCRIBED_BYTES` if the body cannot be text."""
    data = bytearray()
    length = response.length_remaining
    most = BODY_BYTES if _may_be_text(response.headers) else DESCRIBED_BYTES
    try:
        while len(data) < most:
            piece = response.read1(min(most - len(data), _PIECE), decode_content=False)
            if not piece:
                return Beginning(data=bytes(data), whole=True, length=len(data))
            data += piece
    except Exception as error:  # noqa: BLE001 - the caller reports it, and what was read is kept
        return Beginning(data=bytes(data), whole=False, length=length, error=error)
    return Beginning(data=bytes(data), whole=length == len(data), length=length)


class Content(NamedTuple):
    """A body as it is kept: its text, or in place of it a description such as `<1,234 bytes of image/png>`."""

    text: str
    is_text: bool


def content_of(beginning: Beginning, headers: Mapping[str, str]) -> Content:
    """The body as text, or a description if it is not text.

    The charset is that of the content type, by default UTF-8. Invalid bytes become U+FFFD; a character at the end of a cut body
    that is incomplete is left out. If the content type does not say text, bytes that are not UTF-8 count as not text.

    Args:
        headers: of the answer; names in any case.
    """
    if not beginning.data:
        return Content("", is_text=True)
    charset = _CHARSET.search(headers.get("content-type", ""))
    if not _may_be_text(headers):
        return Content(_description(beginning, headers), is_text=False)
    text = _decoded(beginning, charset[1], "replace") if charset else None
    if text is None:
        sure = bool(_TEXT.fullmatch(_media_type(headers)))
        text = _decoded(beginning, "utf-8", "replace" if sure else "strict")
        if text is None or "\0" in text:
            return Content(_description(beginning, headers), is_text=False)
    # Some charsets can encode lone surrogates, which no store accepts.
    return Content(text.encode("utf-8", "replace").decode(), is_text=True)


def _may_be_text(headers: Mapping[str, str]) -> bool:
    media_type = _media_type(headers)
    return not _encoding(headers) and (not _NEVER_TEXT.fullmatch(media_type) or bool(_TEXT.fullmatch(media_type)))


def _media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _encoding(headers: Mapping[str, str]) -> str:
    """The content encoding of an answer, such as `gzip`; empty for none."""
    encoding = headers.get("content-encoding", "").strip().lower()
    return "" if encoding == "identity" else encoding


def _decoded(beginning: Beginning, charset: str, errors: str) -> str | None:
    """The text; None if the charset is unknown or does not fit the bytes."""
    try:
        "".encode(charset)  # raises for codecs that are not text encodings, such as rot13
        if codecs.lookup(charset).name.replace("_", "-") in _NOT_CHARSETS:
            return None
        return codecs.getincrementaldecoder(charset)(errors).decode(beginning.data, final=beginning.whole)
    except (LookupError, UnicodeError, ValueError):
        return None


def _description(beginning: Beginning, headers: Mapping[str, str]) -> str:
    media_type, encoding = _media_type(headers), _encoding(headers)
    count = f"at least {len(beginning.data):,}" if beginning.length is None else f"{beginning.length:,}"
    known = media_type if _MEDIA_TYPE.fullmatch(media_type) else "unknown type"
    known_encoding = encoding if _ENCODINGS.fullmatch(encoding) else "unknown encoding"
    encoded = f", encoded as {known_encoding}" if encoding else ""
    return f"<{count} {'byte' if beginning.length == 1 else 'bytes'} of {known}{encoded}>"
