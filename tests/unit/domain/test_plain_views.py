"""Plain views: each character of a view comes from its own place in the original text."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minutehand.domain.plain_views import TIMES, View, undone, view_of, views

PARTS = [
    "a",
    "é",
    "日",
    "%",
    "25",
    "%41",
    "%C3%A9",
    "\\",
    "\\\\",
    "\\n",
    "\\u0041",
    "\\x",
    "&",
    "amp;",
    "&#65;",
    "&lt;",
    "\r\n",
]


@given(st.lists(st.sampled_from(PARTS), max_size=20).map("".join))
@pytest.mark.thorough
def test_the_characters_of_a_view_come_from_places_in_the_same_order(text: str) -> None:
    for view in undone(view_of(text)):
        places = [view.span(at, at + 1) for at in range(len(view.text))]
        ends = [0, *(end for _, end in places)]
        assert [start for start, _ in places] + [len(text)] == ends
        assert all(start < end for start, end in places)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a X b", (2, 3)),
        ("a %58 b", (2, 5)),
        ("a %2558 b", (2, 7)),
        ("%C3%A9 \\u0058 b", (7, 13)),
        ('\\" &lt; &#88;', (8, 13)),
        ("&amp;#x58;", (0, 10)),
        (base64.b64encode(b"aaaX").decode(), (4, 6)),
    ],
)
def test_a_character_is_found_where_it_is_written(text: str, place: tuple[int, int]) -> None:
    assert place in {_place(view) for view in views(text, 3)}


def _place(view: View) -> tuple[int, int] | None:
    at = view.text.find("X")
    return view.span(at, at + 1) if at >= 0 else None


def test_escapes_are_undone_a_fixed_number_of_times() -> None:
    assert len([*undone(view_of("%" + "25" * 100))]) == TIMES + 1


@pytest.mark.parametrize("end", ["%", "%4", "%u00", "\\", "\\u00e", "\\x4", "&", "&am", "&#x4"])
def test_a_text_is_finished_before_an_escape_that_is_cut_off(end: str) -> None:
    assert view_of(f"text {end}").finished == 5
    assert view_of("text").finished == 4


def test_what_means_no_character_stays() -> None:
    text = "%zz \\q &#9999999999; &other; %u12"
    assert [view.text for view in undone(view_of(text))][-1] == text
