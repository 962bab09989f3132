"""YAML is read by libyaml where that is there, and as PyYAML alone reads it."""

import pytest
import yaml

from minutehand.cli.documents import yaml_json
from minutehand.cli.documents.text_error import TextError
from minutehand.cli.documents.yaml_json import read_json, read_yaml

JOBS = """# two jobs
name: one
schedule: "*/5 * * * *"
on: no
labels: {tier: "1", weight: 1.5, none: ~}
text: |
  of
  lines
---
---
<<: &base {name: two}
base: *base
emoji: "\U0001f600"
when: 2026-11-20
hex: 0x1F
"""
MEANT = [
    (
        2,
        {
            "name": "one",
            "schedule": "*/5 * * * *",
            "on": "no",
            "labels": {"tier": "1", "weight": 1.5, "none": None},
            "text": "of\nlines\n",
        },
    ),
    (11, {"name": "two", "base": {"name": "two"}, "emoji": "\U0001f600", "when": "2026-11-20", "hex": "0x1F"}),
]
WRONG = [
    ("a: 1\n---\nschedule: */5 * * * *\n", 1),
    ("schedule: @hourly\n", 0),
    ("a: 1\na: 2\n", 0),
    ("1: a\n", 0),
    ("a: [1, 2\n", 0),
    ("a:\n\tb: 1\n", 0),
    ("a: 1\t2\n", 0),
    ("a: \x07\n", 0),
    ("a: *b\n", 0),
]


@pytest.fixture(params=[True, False], ids=["libyaml", "PyYAML alone"])
def quick(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether libyaml may read."""
    monkeypatch.setattr(yaml, "__with_libyaml__", request.param)
    return bool(request.param)


def test_documents_are_reported_with_their_lines(quick: bool) -> None:
    assert list(read_yaml(JOBS)) == MEANT


def test_what_can_be_read_is_read_by_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(yaml_json, "_CoreLoader")
    assert list(read_yaml(JOBS)) == MEANT


@pytest.mark.parametrize(("text", "before"), WRONG)
def test_what_is_wrong_is_reported_in_the_same_words(text: str, before: int, monkeypatch: pytest.MonkeyPatch) -> None:
    refusals = []
    for there in (True, False):
        monkeypatch.setattr(yaml, "__with_libyaml__", there)
        documents = read_yaml(text)
        assert len([next(documents) for _ in range(before)]) == before
        with pytest.raises(TextError) as refused:
            list(documents)
        refusals.append((refused.value.message, refused.value.line, refused.value.column, refused.value.hint))
    assert refusals[0] == refusals[1]


@pytest.mark.thorough
def test_a_text_that_is_nested_very_deeply_is_refused(quick: bool) -> None:
    with pytest.raises(TextError) as refused:
        list(read_yaml("[" * 100_000 + "]" * 100_000))
    assert refused.value.message == "it is nested too deeply"


def bomb(levels: int) -> str:
    """A text in which each line repeats the one before nine times."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(lines)


def test_aliases_may_repeat_a_value(quick: bool) -> None:
    [(_, document)] = read_yaml(bomb(3))
    assert document["a2"][8][8] == ["x"] * 9


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (bomb(9), "its aliases repeat more than 100,000 values", "write fewer aliases"),
        ("a: &a [1, *a]", "an alias is inside of what it repeats", "write the value out instead"),
        ("a: &a {b: {c: *a}}", "an alias is inside of what it repeats", "write the value out instead"),
    ],
)
def test_aliases_that_repeat_too_much_or_themselves_are_refused(
    quick: bool, text: str, message: str, hint: str
) -> None:
    with pytest.raises(TextError) as refused:
        list(read_yaml(text))
    assert (refused.value.message, refused.value.hint) == (message, hint)


def test_a_number_of_thousands_of_digits_is_refused() -> None:
    for read in (read_yaml, read_json):
        with pytest.raises(TextError, match="digits"):
            list(read('{"a": ' + "9" * 5000 + "}"))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("!secret db", "the tag !secret is not allowed here"),
        ("!!python/object:os.system x", "the tag !!python/object:os.system is not allowed here"),
        ("!!binary aGk=", "the tag !!binary is not allowed here"),
        ("!!set {x}", "the tag !!set is not allowed here"),
        ("!!map x", "the tag !!map is not allowed here"),
        ("!!str [x]", "the tag !!str is not allowed here"),
        ("!!int x", "'x' does not fit the tag !!int"),
        ("!!int ''", "'' does not fit the tag !!int"),
        ("!!bool x", "'x' does not fit the tag !!bool"),
    ],
)
def test_a_tag_is_refused_in_plain_words_with_its_line(quick: bool, value: str, message: str) -> None:
    with pytest.raises(TextError) as refused:
        list(read_yaml(f"name: a\npayload: {value}\n"))
    assert (refused.value.message, refused.value.line, refused.value.column) == (message, 2, 10)
    assert refused.value.hint == "leave the tag out, and write the value itself"


def test_a_tag_of_a_json_value_is_read(quick: bool) -> None:
    text = "a: !!str 1\nb: !!int '2'\nc: !!seq [!!null '']\nd: !!map {e: !!bool true}\nf: <<\n"
    assert list(read_yaml(text)) == [(1, {"a": "1", "b": 2, "c": [None], "d": {"e": True}, "f": "<<"})]


def test_the_hint_for_a_tag_handle_that_nothing_declares_is_about_the_tag(quick: bool) -> None:
    with pytest.raises(TextError) as refused:
        list(read_yaml("a: !e!b c\n"))
    assert refused.value.hint == "leave the tag out: tags such as !secret mean nothing here"
