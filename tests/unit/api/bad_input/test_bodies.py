"""Bodies that cannot be read as a job, and strange ones that can."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest

from tests.unit.api.conftest import JOB, PATH, Api


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ('{"schedule": \n  * }', "line 2, column 3"),
        ('{"schedule": "* * * * *",}', "line 1, column 2"),
        ("schedule: '* * * * *'", "line 1, column 1"),
        ('{"payload": NaN}', "line 1, column 13: NaN is not a JSON value"),
        ('{"a": "NaN \\" Infinity",\n "payload": [-Infinity]}', "line 2, column 14: -Infinity is not a JSON value"),
    ],
)
def test_a_body_that_is_not_json_is_400_with_line_and_column(api: Api, body: str, place: str) -> None:
    answer = api.put(body)
    assert answer.status == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert f"the body is not JSON: {place}" in answer.body["detail"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "the body is empty"),
        (" \n", "the body is empty"),
        ("[]", "the body is a list"),
        ('"text"', "the body is text"),
        ("null", "the body is null"),
        ('{"schedule": "* * * * *", "schedule": "0 * * * *"}', "names 'schedule' twice"),
        ('{"target": {"url": "a", "url": "b"}}', "names 'url' twice"),
        ('{"payload": 1e999}', "a number beyond"),
        ('{"payload": ' + "9" * 5000 + "}", "thousands of digits"),
        ('{"payload": "\\ud83d"}', "half of a surrogate pair"),
        ('{"payload": "\ud83d"}', "half of a surrogate pair"),
        ('{"payload": {"\\udc00": 1}}', "half of a surrogate pair"),
        ('{"payload": ' + "[" * 101 + "]" * 101 + "}", "more than 100 levels"),
        ('{"payload": ' + "[" * 90000 + "]" * 90000 + "}", "more than 100 levels"),
    ],
)
def test_a_body_that_cannot_be_parsed_is_400(api: Api, body: str, message: str) -> None:
    answer = api.put(body)
    assert answer.status == 400
    assert message in answer.body["detail"]


def test_a_body_of_300_kb_is_413(api: Api) -> None:
    answer = api.put(JOB | {"payload": "x" * 300_000})
    assert answer.status == 413
    assert "262,144 is the most" in answer.body["detail"]


def test_the_size_of_a_body_is_counted_in_bytes(api: Api) -> None:
    body = json.dumps(JOB | {"payload": "ü" * 140_000}, ensure_ascii=False)
    assert len(body) < 262_144
    assert api.put(body).status == 413


def test_a_body_in_base64_is_accepted(api: Api) -> None:
    answer = api.put(b64encode(json.dumps(JOB).encode()).decode(), isBase64Encoded=True)
    assert answer.status == 201


@pytest.mark.parametrize("body", ["not base64!", b64encode(b"\xff\xfe").decode()])
def test_a_body_that_is_not_utf_8_is_400(api: Api, body: str) -> None:
    for answer in (api.put(body, isBase64Encoded=True), api.post(f"{PATH}/pause", body=body, isBase64Encoded=True)):
        assert answer.status == 400
        assert "not UTF-8" in answer.body["detail"]


def test_a_large_deep_and_non_ascii_payload_is_accepted_and_answered_as_sent(api: Api) -> None:
    deep: Any = "Grüße 👋\n\x00"
    for _ in range(90):
        deep = [deep]
    payload = {"deep": deep, "large": "x" * 200_000, "number": 12345678901234567890, "empty": {}}
    assert api.put(JOB | {"payload": payload}).status == 201
    assert api.get().body["payload"] == payload
