"""Jobs that are written as YAML are read back unchanged."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minutehand.cli.documents.written_jobs import write_jobs
from minutehand.cli.documents.yaml_json import read_yaml

TEXTS = st.text(st.characters(codec="utf-8"), max_size=8) | st.from_regex(r"[-+0-9.eE:_~<=yn]{1,6}", fullmatch=True)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)


@given(VALUES, TEXTS)
@pytest.mark.thorough
def test_every_value_and_every_comment_survives(value: Any, comment: str) -> None:
    text = write_jobs([comment], [([comment], {"payload": value})], [comment])
    assert [content for _, content in read_yaml(text)] == [{"payload": value}]


def test_texts_that_look_like_numbers_are_quoted() -> None:
    text = write_jobs(["jobs"], [([], {"a": "1e5", "b": "on", "c": "08", "d": "0 4 * * *"})], [])
    assert text == "# jobs\n---\na: '1e5'\nb: 'on'\nc: 08\nd: 0 4 * * *\n"
