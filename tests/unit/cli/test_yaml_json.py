"""YAML is read by libyaml where that is there, and as PyYAML alone reads it."""

import pytest
import yaml

from minutehand.cli.documents import yaml_json
from minutehand.cli.documents.yaml_json import TextError, read_yaml

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
    told = []
    for there in (True, False):
        monkeypatch.setattr(yaml, "__with_libyaml__", there)
        documents = read_yaml(text)
        assert len([next(documents) for _ in range(before)]) == before
        with pytest.raises(TextError) as refused:
            list(documents)
        told.append((refused.value.message, refused.value.line, refused.value.column, refused.value.hint))
    assert told[0] == told[1]


def test_a_text_that_is_nested_very_deeply_is_refused(quick: bool) -> None:
    with pytest.raises(TextError) as refused:
        list(read_yaml("[" * 100_000 + "]" * 100_000))
    assert refused.value.message == "it is nested too deeply"
