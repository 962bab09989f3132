"""JSON Pointers of the fields that errors name by their paths."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.domain.json_pointer import pointer_to


@pytest.mark.parametrize(
    ("path", "document", "pointer"),
    [
        ("", {}, ""),
        ("schedule", {}, "/schedule"),
        ("target.url", {"target": {}}, "/target/url"),
        ("dates[3]", {"dates": []}, "/dates/3"),
        ("target.endpoints.listed[0].url", {}, "/target/endpoints/listed/0/url"),
        ("target.headers.X.Job", {"target": {"headers": {"X.Job": "a"}}}, "/target/headers/X.Job"),
        ("target.headers.X.Job", {"target": {"headers": {"X": "a", "X.Job": "a"}}}, "/target/headers/X.Job"),
        ("payload.a.b[0]", {"payload": {"a.b[0]": 1}}, "/payload/a.b[0]"),
        ("labels.a/b~c", {"labels": {"a/b~c": 1}}, "/labels/a~1b~0c"),
        ('""', {"": 1}, "/"),
        (f"labels.{'x' * 60}", {"labels": {"x" * 80: 1}}, f"/labels/{'x' * 80}"),
        ("[1].name", [{}, {}], "/1/name"),
        ("..", {}, "/.."),
    ],
)
def test_a_path_becomes_the_pointer_to_its_field(path: str, document: Any, pointer: str) -> None:
    assert pointer_to(path, document) == pointer
