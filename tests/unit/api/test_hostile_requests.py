"""Hostile requests to every route: a clear refusal each, never an error of ours, and nothing written."""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from minutehand.adapters.cursors import encode
from minutehand.adapters.memory import MemoryState
from minutehand.domain.token import Role
from minutehand.entrypoints.api.documents.query import PARAMETERS
from minutehand.entrypoints.api.forms.model import flat
from minutehand.entrypoints.api.route import Route
from minutehand.entrypoints.api.routes import ROUTES
from tests.unit.api.conftest import JOB, PATH, Api

pytestmark = pytest.mark.thorough

API = [route for route in ROUTES if not route.for_people]
METHODS = ("GET", "HEAD", "PUT", "POST", "DELETE", "PATCH", "TRACE")
PLACES: Mapping[str, str] = {
    "namespace": "demo",
    "name": "heartbeat",
    "run_id": "20261120T120000Z",
    "attempt": "1",
    "revision": "1",
    "backfill_id": "b",
    "service": "web",
    "endpoint": "a",
    "pool": "web",
    "node": "a",
    "token_id": "t-aaaaaaaaaa",
}
NAMES = (
    *("..", ".", "%2F", "%2f..%2f", "a%2Fb", "%2e%2e", "%00", "\x00", "%ff", "%ED%A0%80", "%", "%zz"),
    *("ü", " ", "~", "*", "a" * 10_000, "-1", "0", "9" * 400, "1e400", "null"),
)
TEXTS = (
    "",
    " ",
    "\x00",
    "ü",
    "\ud83d",
    "..",
    "-1",
    "0",
    "9" * 5000,
    "1e400",
    "NaN",
    "null",
    "true,false",
    "x" * 10_000,
)
VALUES = (
    *(None, True, 0, -1, 2**63, 10**400, 1e308, -0.0, "", "\x00", "x" * 20_000, "ü" * 300, "2026-13-45T99:99:99Z"),
    *([], {}, [None], [[]], {"": None}, {"a": {"b": {}}}, [{"job": None}], ["x"] * 2_000, {"schedule": [None]}),
)
BODIES = (
    *('{"a": NaN}', '{"a": -Infinity}', '{"a": 1e400}', '{"a": 1, "a": 2}', '{"a": "\\ud83d"}', '{"a": "\ud83d"}'),
    *("[]", "null", "0", '"x"', "{", '{"a": 1} {}', "\x00", "\ufeff{}", "{'a': 1}", '{"a": "\n"}', "<a/>"),
    *('{"a": ' + "[" * 5_000 + "]" * 5_000 + "}", '{"a": ' + "9" * 5_000 + "}"),
)


def id_of(route: Route) -> str:
    return f"{route.method} {route.path}"


def path_of(route: Route, **places: str) -> str:
    return route.path.format(**{**PLACES, **places})


def asking(api: Api, route: Route) -> Api:
    """The API, asked by somebody who may use a route."""
    return api.by(role="agent") if route.role is Role.AGENT else api


@pytest.fixture
def api(api: Api) -> Api:
    assert api.put().status == 201
    return api


@pytest.fixture
def unchanged(api: Api, state: MemoryState) -> Iterator[None]:
    def seen() -> str:
        kept = (state.definitions, state.timers, state.calendars, state.settings, state.runs, state.services)
        return repr((kept, state.backfills, state.audits, len(state.messages)))

    before = seen()
    yield
    assert seen() == before


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("path", sorted({route.path for route in API}))
def test_a_method_that_a_path_does_not_have_is_405_with_those_that_it_has(api: Api, path: str) -> None:
    allowed = sorted(route.method for route in API if route.path == path)
    for method in METHODS:
        if method not in allowed:
            answer = api.send(method, path.format(**PLACES))
            assert (answer.status, answer.headers["allow"]) == (405, ", ".join(allowed)), method


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("body", BODIES, ids=lambda body: repr(body)[:30])
@pytest.mark.parametrize("route", [route for route in API if route.takes], ids=id_of)
def test_a_body_that_is_no_json_object_is_400(api: Api, route: Route, body: str) -> None:
    answer = asking(api, route).send(route.method, path_of(route), body)
    assert answer.status == (400 if route.role else 403)
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("route", [route for route in API if route.method == "POST" and not route.takes], ids=id_of)
def test_a_body_where_none_belongs_is_refused(api: Api, route: Route) -> None:
    for body in ("[]", '{"a": 1}', "null", "x" * 300_000, "\ud83d"):
        assert asking(api, route).send(route.method, path_of(route), body).status in (400, 413)


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("route", [route for route in API if route.method in ("POST", "PUT")], ids=id_of)
def test_a_body_of_300_kb_is_too_large_for_every_route_that_reads_one(api: Api, route: Route) -> None:
    answer = asking(api, route).send(route.method, path_of(route), json.dumps({"a": "x" * 300_000}))
    assert answer.status == (413 if route.role else 403)


@pytest.mark.parametrize("route", [route for route in API if route.takes], ids=id_of)
def test_a_field_of_any_value_causes_no_error_of_ours(api: Api, route: Route) -> None:
    for each in flat(route.takes):
        for value in VALUES:
            document = (JOB if "{name}" in route.path and route.method == "PUT" else {}) | {each.name: value}
            answer = asking(api, route).send(route.method, path_of(route), document)
            assert answer.status < 500, (each.name, repr(value)[:60], answer.body)


@pytest.mark.parametrize("route", [route for route in API if "{" in route.path], ids=id_of)
def test_a_name_in_a_path_of_any_text_causes_no_error_of_ours(api: Api, state: MemoryState, route: Route) -> None:
    for place in re.findall(r"\{(\w+)\}", route.path):
        for text in NAMES:
            answer = asking(api, route).send(route.method, path_of(route, **{place: text}))
            assert answer.status < 500, (place, text[:60], answer.body)
            if text in ("..", ".", "%2F", "a%2Fb", "%2e%2e", "%00", "\x00", "%ff", "%ED%A0%80"):
                assert answer.status >= 400, (place, text)
    assert {key.name for key in state.definitions} == {"heartbeat"}


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("route", [route for route in API if route.query], ids=id_of)
def test_a_query_parameter_of_any_text_causes_no_error_of_ours(api: Api, route: Route) -> None:
    body = {} if route.method == "POST" else None
    for name in route.query:
        for text in TEXTS:
            if (name, text) == ("dry_run", "true"):
                continue
            wanted = {"dry_run": "true", name: text} if name == "expected" else {name: text}
            answer = asking(api, route).send(route.method, path_of(route), body, query=wanted)
            assert answer.status < 500, (name, text[:60], answer.body)
            if PARAMETERS[name].type is not str:
                assert answer.status in (400, 404), (name, text[:60])


def forged(stored: Any) -> str:
    """A cursor with any content."""
    text = stored if isinstance(stored, bytes) else json.dumps(stored).encode()
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


CURSORS = {
    "of another list": encode(listing="leaves", of="demo", last="a"),
    "of another owner": encode(listing="jobs", of="bank", last="a"),
    "with a wrong place": encode(listing="runs across jobs", of="?", last="x,y,z,a"),
    "of other types": forged([1, None, {}]),
    "of half a surrogate pair": forged(["jobs", "demo", "\ud83d"]),
    "of a control character": forged(["jobs", "demo", "a\x00"]),
    "nested": forged(b"[" * 50_000 + b"]" * 50_000),
    "not JSON": forged(b"\xff\xfe"),
    "not base64": "%%%",
    "long": "A" * 8_000,
    "of a foreign question": "abcdefabcdef:demo:",
}


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("cursor", CURSORS.values(), ids=CURSORS)
@pytest.mark.parametrize("route", [route for route in API if "cursor" in route.query], ids=id_of)
def test_a_cursor_that_the_list_did_not_give_is_400(api: Api, route: Route, cursor: str) -> None:
    answer = asking(api, route).send(
        route.method, path_of(route), {} if route.method == "POST" else None, query={"cursor": cursor}
    )
    assert answer.status == 400
    assert "cursor" in answer.errors


@pytest.mark.parametrize(
    ("path", "first", "then"),
    [
        ("/v1/jobs", {"q": "a"}, {"q": "b"}),
        ("/v1/namespaces/demo/jobs", {"label": "team=data"}, {}),
        ("/v1/namespaces/demo/jobs", {}, {"paused": "false"}),
        (f"{PATH}/runs", {"from": "2026-11-20T00:00:00Z"}, {"from": "2026-11-19T00:00:00Z"}),
        ("/v1/runs", {"namespace": "demo"}, {"namespace": "demo", "state": "failed"}),
        ("/v1/audit", {"namespace": "demo"}, {"namespace": "demo", "actor": "ada"}),
        ("/v1/audit", {"namespace": "demo"}, {}),
    ],
)
def test_a_cursor_of_the_same_list_under_another_question_is_400(
    api: Api, path: str, first: dict[str, str], then: dict[str, str]
) -> None:
    for name in ("abra", "aba"):
        other = f"/v1/namespaces/demo/jobs/{name}"
        api.put(JOB | {"labels": {"team": "data"}}, other)
        api.post(f"{other}/trigger")
    for _ in range(2):
        api.post(f"{PATH}/trigger")
    cursor = api.get(path, query=first | {"limit": "1"}).body["next"]
    assert cursor is not None
    assert api.get(path, query=first | {"cursor": cursor}).status == 200
    assert api.get(path, query=then | {"cursor": cursor}).status == 400


@pytest.mark.usefixtures("unchanged")
def test_ten_thousand_labels_are_refused_in_a_short_answer(api: Api) -> None:
    labels = {f"label-{number}": "x" for number in range(10_000)}
    answer = api.put(JOB | {"labels": labels})
    assert answer.status == 422
    assert len(json.dumps(answer.body)) < 30_000


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-8", "", "x"]
)
def test_a_body_is_judged_by_itself_whatever_type_it_claims(api: Api, content_type: str) -> None:
    headers = {"Content-Type": content_type}
    assert api.put(JOB | {"owner": "x"}, headers=headers).status == 200
    assert api.put("schedule=@daily", headers=headers).status == 400


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("body", [b"\xff\xfe", b"\x1f\x8b\x08\x00", "{}".encode("utf-16"), b'{"a": "\xed\xa0\x80"}'])
@pytest.mark.parametrize("route", [route for route in API if route.takes and route.role], ids=id_of)
def test_a_body_that_is_not_utf_8_is_400_on_every_route(api: Api, route: Route, body: bytes) -> None:
    encoded = base64.b64encode(body).decode()
    answer = asking(api, route).send(route.method, path_of(route), encoded, isBase64Encoded=True)
    assert answer.status == 400
    assert "UTF-8" in answer.body["detail"]


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("name", ["Idempotency-Key", "If-Match", "If-None-Match", "Authorization", "User-Agent"])
def test_a_header_of_any_text_causes_no_error_of_ours(api: Api, name: str) -> None:
    for text in ("", " ", "\x00", "ü", "\ud83d", "x" * 10_000, '"' * 10_000, ",".join(['"a"'] * 5_000), "W/*", "*, *"):
        for ask in (f"{PATH}/pause", f"{PATH}/trigger"):
            answer = api.post(ask, headers={name: text}, body="[]")
            assert 400 <= answer.status < 500, (name, text[:40], answer.body)


def test_of_many_imports_at_once_one_creates_and_the_others_find_it_done(api: Api, state: MemoryState) -> None:
    path = "/v1/namespaces/demo/jobs/imported"
    together = threading.Barrier(8)

    def save(_: int) -> int:
        together.wait(10)
        return api.put(path=path).status

    with ThreadPoolExecutor(8) as pool:
        statuses = [*pool.map(save, range(8))]
    assert sorted(statuses) == [*[200] * 7, 201]
    assert api.get(path).body["status"]["revision"] == 1
    [history] = [past for key, past in state.histories.items() if key.name == "imported"]
    assert len(history) == 1
