"""Cursors, and the refusal of invalid ones."""

from __future__ import annotations

import base64
import json

import pytest

from minutehand.adapters import cursors
from minutehand.domain.errors import Invalid


def test_a_cursor_gives_back_the_entry_it_was_made_of():
    cursor = cursors.encode(listing="runs", of="team/report", last="20261120T090000Z~trigger-abc")
    assert cursors.decode(cursor, listing="runs", of="team/report") == "20261120T090000Z~trigger-abc"


def test_a_cursor_needs_no_encoding_in_a_url():
    cursor = cursors.encode(listing="jobs", of="team", last="???>>>~~~")
    assert set(cursor) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@pytest.mark.parametrize(
    "stored",
    [
        None,
        "runs",
        ["runs", "team"],
        ["runs", "team", 3],
        ["runs", "team", ""],
        ["runs", "team", "\ud800"],
        ["runs", "team", "x" * 2000],
        ["runs", "team", "a", "b"],
        {"runs": "team"},
    ],
)
def test_json_that_is_no_cursor_is_refused(stored):
    cursor = base64.urlsafe_b64encode(json.dumps(stored).encode()).decode()
    with pytest.raises(Invalid, match="not a cursor"):
        cursors.decode(cursor, listing="runs", of="team")


@pytest.mark.parametrize("cursor", ["a", "====", "W1tb" * 50_000, "\x00", "_w", "ü"])
def test_text_that_is_no_cursor_is_refused(cursor):
    with pytest.raises(Invalid, match="not a cursor"):
        cursors.decode(cursor, listing="runs", of="team")


@pytest.mark.parametrize(("listing", "of"), [("jobs", "team"), ("runs", "other")])
def test_the_cursor_of_another_list_is_refused_with_a_hint(listing, of):
    cursor = cursors.encode(listing=listing, of=of, last="a")
    with pytest.raises(Invalid, match="another list") as refusal:
        cursors.decode(cursor, listing="runs", of="team")
    [problem] = refusal.value.problems
    assert problem.path == "cursor"
    assert problem.hint
