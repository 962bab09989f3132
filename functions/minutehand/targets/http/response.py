"""An answer's body, as text; of a long one the beginning."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from typing import NamedTuple

from urllib3.response import BaseHTTPResponse

BODY_BYTES = 1024 * 1024
"""How much of a body is read and kept. A worker has up to ten of them in memory at once."""
DESCRIBED_BYTES = 4096
"""How much is read of what is no text: enough to see that, since only its description is kept."""
_PIECE = 64 * 1024

_TEXT = re.compile(
    r"text/.*|.*\+(json|xml)|application/(json|x-ndjson|xml|javascript|yaml|x-yaml|toml|graphql|x-www-form-urlencoded)"
)
_NEVER_TEXT = re.compile(r"(image|audio|video|font)/.*")
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([\w.:+-]{1,40})", re.ASCII | re.IGNORECASE)
_NOT_CHARSETS = ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape")
"""Codecs from bytes to text that Python has, but no server means."""
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]{1,100}/[a-z0-9!#$&^_.+-]{1,100}", re.ASCII)


class Beginning(NamedTuple):
    """What was read of a body.

    Attributes:
        data: at most `BODY_BYTES`.
        whole: whether this is all of it.
        length: of the whole body in bytes, where known.
        error: what ended the reading too early.
    """

    data: bytes
    whole: bool
    length: int | None
    error: Exception | None = None


def read_beginning(response: BaseHTTPResponse) -> Beginning:
    """Read the first bytes of a body as they came, without undoing a content encoding; few of what cannot be text."""
    data = bytearray()
    length = response.length_remaining
    most = BODY_BYTES if _may_be_text(response.headers) else DESCRIBED_BYTES
    try:
        while len(data) < most:
            piece = response.read1(min(most - len(data), _PIECE), decode_content=False)
            if not piece:
                return Beginning(data=bytes(data), whole=True, length=len(data))
            data += piece
    except Exception as error:  # noqa: BLE001 - whatever it is, the caller names it, and what was read is kept
        return Beginning(data=bytes(data), whole=False, length=length, error=error)
    return Beginning(data=bytes(data), whole=length == len(data), length=length)


def text_of(beginning: Beginning, headers: Mapping[str, str]) -> str:
    """The body as text, or a description such as `<1,234 bytes of image/png>` of what is none.

    The charset of the content type counts, else UTF-8; bytes that do not fit become U+FFFD, and a character that the
    cut went through is left out. Without a type that says text, bytes that are not UTF-8 count as none.

    Args:
        headers: of the answer; finds names in any case.
    """
    if not beginning.data:
        return ""
    content_type = headers.get("content-type", "")
    media_type = _media_type(headers)
    charset = _CHARSET.search(content_type)
    if not _may_be_text(headers):
        return _description(beginning, media_type, _encoding(headers))
    text = _decoded(beginning, charset[1], "replace") if charset else None
    if text is None:
        sure = bool(_TEXT.fullmatch(media_type))
        text = _decoded(beginning, "utf-8", "replace" if sure else "strict")
        if text is None or "\0" in text:
            return _description(beginning, media_type, _encoding(headers))
    # Some charsets can spell halves of surrogate pairs, which no store takes.
    return text.encode("utf-8", "replace").decode()


def _may_be_text(headers: Mapping[str, str]) -> bool:
    media_type = _media_type(headers)
    encoded = _encoding(headers) not in ("identity", "")
    return not encoded and (not _NEVER_TEXT.fullmatch(media_type) or bool(_TEXT.fullmatch(media_type)))


def _media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _encoding(headers: Mapping[str, str]) -> str:
    return headers.get("content-encoding", "identity").strip().lower()


def _decoded(beginning: Beginning, charset: str, errors: str) -> str | None:
    """None when the charset is none, or the bytes do not fit it."""
    try:
        "".encode(charset)  # refuses what does not even make text of bytes, such as rot13
        if codecs.lookup(charset).name.replace("_", "-") in _NOT_CHARSETS:
            return None
        return codecs.getincrementaldecoder(charset)(errors).decode(beginning.data, final=beginning.whole)
    except (LookupError, UnicodeError, ValueError):
        return None


def _description(beginning: Beginning, media_type: str, encoding: str) -> str:
    count = f"at least {len(beginning.data):,}" if beginning.length is None else f"{beginning.length:,}"
    known = media_type if _MEDIA_TYPE.fullmatch(media_type) else "unknown type"
    encoded = "" if encoding in ("identity", "") else f", encoded as {encoding[:20]}"
    return f"<{count} bytes of {known}{encoded}>"
