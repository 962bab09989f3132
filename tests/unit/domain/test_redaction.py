"""Redaction: no form of a secret stays in what is kept of a call."""

from __future__ import annotations

import base64
import html
import json
import re
import sys
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from types import FrameType
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minutehand.domain.outcome import Outcome
from minutehand.domain.redaction import MASK, PIECE, redacted, without, without_pieces
from minutehand.domain.run import Result, RunError, RunState

PLAIN = "tok_EN-123.xyz9"
LONG = "".join(f"line {n} of a key/chain\n" for n in range(400))
SECRETS = [
    PLAIN,
    "abcd",
    's3cr3t/+&"pass\\word<',
    'pä$$ "w" %25 &amp; x',
    "first line\nsecond/line\tend",
    "\\\\share\\it",
    "日本語のパスワード",
    '{"user":"a","password":"b c d"}',
]


def _lower(text: str) -> str:
    return re.sub(r"%..", lambda found: found[0].lower(), quote(text, safe=""))


ENCODINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in JSON": json.dumps,
    "in JSON in JSON": lambda text: json.dumps(json.dumps({"a": text})),
    "in JSON, beyond ASCII": lambda text: json.dumps(text, ensure_ascii=False),
    "in JSON, as PHP": lambda text: json.dumps(text).replace("/", "\\/"),
    "in JSON, in capitals": lambda text: re.sub(r"\\u(....)", lambda found: f"\\u{found[1].upper()}", json.dumps(text)),
    "in a path": quote,
    "in a query": lambda text: quote(text, safe=""),
    "in a query, in small letters": _lower,
    "in a query in a query": lambda text: quote(quote(text, safe=""), safe=""),
    "in a form": quote_plus,
    "in HTML": html.escape,
    "in HTML in HTML": lambda text: html.escape(html.escape(text)),
    "in base64": lambda text: base64.b64encode(text.encode()).decode(),
    "in base64, after a name": lambda text: base64.b64encode(f"u:{text}:z".encode()).decode(),
    "in base64, after another": lambda text: base64.b64encode(f"user:{text}".encode()).decode(),
    "in base64 for URLs": lambda text: base64.urlsafe_b64encode(f"??{text}".encode()).decode(),
    "in base64 in a query": lambda text: quote(base64.b64encode(f"a:{text}".encode()).decode(), safe=""),
    "in JSON in base64": lambda text: base64.b64encode(json.dumps({"a": text}).encode()).decode(),
    "in JSON in a query": lambda text: quote(json.dumps({"a": text}), safe=""),
    "in a form in a form": lambda text: quote_plus(quote_plus(text)),
    "in HTML in JSON": lambda text: json.dumps(html.escape(text)),
    "in JSON in HTML": lambda text: html.escape(json.dumps(text)),
    "in base64 in JSON in base64": lambda text: base64.b64encode(
        json.dumps({"a": f"Basic {base64.b64encode(f'u:{text}'.encode()).decode()}"}).encode()
    ).decode(),
    "in a script": lambda text: re.sub(r"[^\w]", lambda found: f"\\u{ord(found[0]):04X}", text),
    "in HTML, each as a number": lambda text: "".join(f"&#x{ord(char):x};" for char in text),
    "in a query, each as bytes": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "in small letters": lambda text: re.sub("[A-Z]", lambda found: found[0].lower(), text),
    "in capitals": lambda text: re.sub("[a-z]", lambda found: found[0].upper(), text),
    "in a message of Python": lambda text: repr(text.encode().decode("latin-1")),
    "in another charset": lambda text: text.encode().decode("latin-1"),
}


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_removed_however_it_is_written(secret: str, encode: Callable[[str], str]) -> None:
    text = f"before {encode(secret)} after"
    left = without(text, [secret])
    assert left.startswith("before ")
    assert left.endswith(" after")
    assert MASK in left
    assert len(left) <= len(text)
    words = re.findall(r"\w{4,}", secret)
    assert not [word for word in words if word in left.removeprefix("before ").removesuffix(" after")]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_text_without_the_secret_stays_as_it_is(secret: str) -> None:
    text = '{"ok": true, "a": "b c", "n": [1, 2, 3], "url": "https://example.com/a?b=%20"}'
    assert without(text, [secret], cut=True) == text


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
def test_the_beginning_of_a_secret_at_a_cut_is_removed(encode: Callable[[str], str]) -> None:
    secret = "Zq8/vW+3 pL&9"
    whole = f"before {encode(secret)}"
    for end in range(len("before ") + 6, len(whole)):
        left = without(whole[:end], [secret], cut=True).removeprefix("before ")
        assert not re.search(r"vW|WnE4L|cTgvd", left), (whole[:end], left)


def test_a_secret_within_another_and_white_space_around_one_make_no_difference() -> None:
    assert without("a: secret-text-longer, b: secret-text", ["secret-text", " secret-text-longer\n"]) == (
        f"a: {MASK}, b: {MASK}"
    )
    assert without("nothing", ["", "  "]) == "nothing"
    assert without("", [PLAIN]) == ""


def test_of_an_error_also_pieces_are_removed() -> None:
    for start in range(len(PLAIN) - PIECE + 1):
        for end in range(start + PIECE, len(PLAIN) + 1):
            assert without_pieces(f"at {PLAIN[start:end]}: closed", [PLAIN]) == f"at {MASK}: closed"
    assert without_pieces("a short text", ["short", "none of it"]) == f"a {MASK} text"


def test_of_an_error_also_pieces_in_another_encoding_are_removed() -> None:
    secret = "aĀ1ĀzĀ9ĀqĀ2ĀbĀ3Āc"
    for text in (
        repr(secret.encode().decode("latin-1")),
        json.dumps(secret),
        base64.b64encode(secret.encode()).decode(),
    ):
        left = without_pieces(f"not valid: {text[:30]}", [secret])
        assert re.fullmatch(rf"not valid: .{{0,2}}{re.escape(MASK)}", left), left


def test_pieces_of_a_body_are_removed_if_asked_for() -> None:
    outcome = Outcome(RunState.SUCCEEDED, Result(type="http", status=200, body=f"is {PLAIN[:-3]}, ok"))
    for pieces, kept in ((True, f"is {MASK}, ok"), (False, f"is {PLAIN[:-3]}, ok")):
        result = redacted(outcome, [PLAIN], pieces=pieces).result
        assert result is not None
        assert result.body == kept


def test_all_texts_of_an_outcome_are_redacted_and_the_rest_stays() -> None:
    outcome = Outcome(
        state=RunState.FAILED,
        result=Result(type="lambda", status=500, body=f"got {PLAIN}", cut=True, log=f"log {PLAIN[3:]}"),
        error=RunError(type=PLAIN, message=f"no {PLAIN}", stack=f'File "{PLAIN}"'),
        final=True,
        retry_after=timedelta(seconds=5),
        endpoints=("https://10.0.3.7",),
    )
    assert redacted(outcome, [PLAIN]) == Outcome(
        state=RunState.FAILED,
        result=Result(type="lambda", status=500, body=f"got {MASK}", cut=True, log=f"log {MASK}"),
        error=RunError(type=MASK, message=f"no {MASK}", stack=f'File "{MASK}"'),
        final=True,
        retry_after=timedelta(seconds=5),
        endpoints=("https://10.0.3.7",),
    )


@pytest.mark.parametrize(
    ("state", "cut", "kept"), [("succeeded", False, "tok_E"), ("failed", False, MASK), ("succeeded", True, MASK)]
)
def test_only_where_an_answer_may_be_cut_its_end_may_begin_a_secret(state: str, cut: bool, kept: str) -> None:
    result = Result(type="http", status=200, body="is tok_E", cut=cut)
    found = redacted(Outcome(RunState(state), result), [PLAIN]).result
    assert found is not None
    assert found.body == f"is {kept}"


@given(st.text(min_size=4, max_size=30).filter(lambda text: len(text.strip()) >= 4), st.text(max_size=30))
def test_any_text_is_removed_and_what_is_left_is_no_longer(secret: str, around: str) -> None:
    text = f"{around}{secret}{around}"
    left = without(text, [secret])
    assert secret.strip() not in left.replace(MASK, "\0")
    assert len(left) <= len(text)


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("text", ["\\" * 300_000, "%25" * 100_000, "&amp;" * 60_000, "/\\" * 150_000])
@pytest.mark.thorough
def test_no_answer_makes_the_search_take_long(secret: str, text: str) -> None:
    without(text, [secret], cut=True)


@pytest.mark.parametrize(
    ("secret", "text"),
    [
        ("a" * 400 + "!", "a"),
        ("a!" * 200 + "z", "a!"),
        ("\\" * 40 + "x!", "\\"),
        ("%" * 40 + "x", "%25"),
        ("&" * 40 + "x", "&amp;"),
        ("ab&d", "JTI1"),
    ],
)
@pytest.mark.parametrize("removed", [partial(without, cut=True), without_pieces])
@pytest.mark.thorough
def test_the_work_grows_only_with_the_length_of_a_text(
    removed: Callable[[str, list[str]], str], secret: str, text: str
) -> None:
    removed(text * 1000, [secret])  # what is prepared for the secret is kept
    short, long = (_lines_run(partial(removed, text * n, [secret])) for n in (4000, 16_000))
    assert long < 5 * short
    assert long < 40 * len(text) * 16_000


def _lines_run(call: Callable[[], object]) -> int:
    """How many lines of Python a call runs."""
    count, before = 0, sys.gettrace()

    def trace(_frame: FrameType, event: str, _arg: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def test_a_long_secret_is_removed_however_it_is_written() -> None:
    for name, encode in ENCODINGS.items():
        text = encode(LONG)
        assert "of" not in without(text, [LONG]), name
        assert len(without(text[: len(text) // 2], [LONG], cut=True)) < 40, name
