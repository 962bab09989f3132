"""Requests that values of the run fill: query, headers and body."""

from __future__ import annotations

import json
from typing import Any

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Result, RunError, RunState
from minutehand.domain.run_key import RunKey
from minutehand.targets.http.fields import Body
from minutehand.usecases.ports.target import Outcome, ParentResult
from tests.unit.targets.conftest import SCHEDULED_FOR, call
from tests.unit.targets.servers import Server, answering, response
from tests.unit.targets.test_answers import Serve

OK = answering(response())
PAYLOAD = {"customer": {"id": 7, "name": "Ann & Söhne"}, "ids": [1, 2], "line": "a\r\nX-B: c", "big": "x" * 9000}


def parent(name: str, body: str, **fields: Any) -> ParentResult:
    key = RunKey.scheduled(JobKey.of(name), SCHEDULED_FOR)
    known = {"state": RunState.SUCCEEDED, "result": Result("http", 200, body), "error": None, "truncated": False}
    return ParentResult(key, **(known | fields))


def sent_body(server: Server) -> str:
    return server.request.partition("\r\n\r\n")[2].encode("latin-1").decode()


@pytest.mark.parametrize(
    ("path", "query", "line"),
    [
        ("/a", {"b": "c"}, "/a?b=c"),
        ("/a?x=1", {"id": "{{payload.customer.id}}"}, "/a?x=1&id=7"),
        ("/a?", {"b": ""}, "/a?b="),
        ("/a#end", {"b": "1"}, "/a?b=1"),
        ("/a", {"n": "{{payload.customer.name}}", "z&=": "{{run_id}}/{{attempt}}"}, None),
        ("/a", {"ids": "{{payload.ids}}"}, "/a?ids=%5B1%2C2%5D"),
        ("/a", {"line": "{{payload.line}}"}, "/a?line=a%0D%0AX-B%3A%20c"),
    ],
)
def test_parameters_are_filled_and_percent_encoded(serve: Serve, path: str, query: dict[str, str], line: str) -> None:
    server = serve(OK)
    assert call(server.url(path), query=query, payload=PAYLOAD).state is RunState.SUCCEEDED
    wanted = line or "/a?n=Ann%20%26%20S%C3%B6hne&z%26%3D=20261120T090000Z%2F1"
    assert server.request.startswith(f"POST {wanted} HTTP/1.1\r\n")


def test_values_of_the_run_fill_a_json_body(serve: Serve) -> None:
    server = serve(OK)
    body = {
        "run": ["{{job}}", "{{namespace}}", "{{name}}", "{{run_id}}", "{{scheduled_for}}", "{{attempt}}"],
        "customer": "{{payload.customer}}",
        "text": "for {{payload.customer.name}} ({{payload.customer.id}})",
        "plain": 5,
    }
    call(server.url(), body=Body(json=body), payload=PAYLOAD, attempt=3)
    assert server.sent_headers["content-type"] == "application/json"
    assert json.loads(sent_body(server)) == {
        "run": ["demo/beat", "demo", "beat", "20261120T090000Z", "2026-11-20T09:00:00Z", 3],
        "customer": PAYLOAD["customer"],
        "text": "for Ann & Söhne (7)",
        "plain": 5,
    }


def test_a_form_is_encoded(serve: Serve) -> None:
    server = serve(OK)
    form = (("a", "{{payload.customer.name}}"), ("b b", "1+1"))
    call(server.url(), body=Body(form=form), payload=PAYLOAD)
    assert server.sent_headers["content-type"] == "application/x-www-form-urlencoded"
    assert sent_body(server) == "a=Ann+%26+S%C3%B6hne&b+b=1%2B1"


def test_a_text_is_sent_as_it_is_with_the_content_type_of_the_job(serve: Serve) -> None:
    server = serve(OK)
    call(server.url(), body=Body(text="<id>{{payload.customer.id}}</id>ü"), payload=PAYLOAD)
    assert server.sent_headers["content-type"] == "text/plain; charset=utf-8"
    assert sent_body(server) == "<id>7</id>ü"
    server = serve(OK)
    call(server.url(), body=Body(text="<a/>"), headers=(("content-type", "application/xml"),))
    assert server.sent_headers["content-type"] == "application/xml"


def test_headers_are_filled(serve: Serve) -> None:
    server = serve(OK)
    call(server.url(), headers=(("X-Id", "c{{payload.customer.id}}-{{attempt}}"), ("X-A", "b")), payload=PAYLOAD)
    assert (server.sent_headers["x-id"], server.sent_headers["x-a"]) == ("c7-1", "b")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_method_without_a_body_sends_none(serve: Serve, method: str) -> None:
    server = serve(OK)
    call(server.url(), method=method, body=Body(text="x"), query={"id": "{{payload.customer.id}}"}, payload=PAYLOAD)
    assert server.request.startswith(f"{method} /?id=7 ")
    assert server.request.endswith("\r\n\r\n")


def test_results_of_parents_fill_a_request(serve: Serve) -> None:
    server = serve(OK)
    parents = (parent("demo/extract", '{"count": 12, "files": ["a"]}'), parent("other/load", "done"))
    body = {
        "count": "{{parents.extract.result.body.count}}",
        "file": "{{parents.extract.result.body.files[0]}}",
        "text": '{{parents["other/load"].result.body}}',
        "state": '{{parents["demo/extract"].state}}',
        "error": "{{parents.extract.error}}",
    }
    outcome = call(server.url(), body=Body(json=body), parents=parents)
    assert outcome.state is RunState.SUCCEEDED
    assert json.loads(sent_body(server)) == {
        "count": 12,
        "file": "a",
        "text": "done",
        "state": "succeeded",
        "error": None,
    }
    server = serve(OK)
    call(server.url(), body=Body(json="{{parents}}"), parents=parents)
    assert [each["job"] for each in json.loads(sent_body(server))] == ["demo/extract", "other/load"]


def refused(outcome: Outcome, type_: str) -> RunError:
    """The error of a call that was not made, and is not to be tried again."""
    assert (outcome.state, outcome.final) == (RunState.FAILED, True)
    assert outcome.error is not None
    assert outcome.error.type == type_, outcome.error
    return outcome.error


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{payload.customer.email}}", "payload.customer has no 'email'"),
        ("{{nonsense}}", "{{nonsense}} names nothing; there are job, namespace"),
        ("{{attempt.x}}", "attempt has no parts"),
        ("{{parents.load.state}}", "no run of 'load' started this one"),
        ("{{parents.extract.result.body.x}}", "the answer of demo/extract is not JSON"),
        ("{{parents.cut.result.body.x}}", "only a part is kept"),
        ("{{parents.deep.result.body.x}}", "is not JSON"),
        ("{{parents.nan.result.body.x}}", "is not JSON"),
        ("{{parents.dead.result.body.x}}", "is null"),
        ("{{", "does not end"),
        ("{{secret:ssm:/a}}", "{{secret:ssm:/a}} names a secret that was not read"),
    ],
)
def test_a_placeholder_that_names_nothing_ends_the_attempt_for_good(serve: Serve, template: str, said: str) -> None:
    server = serve(OK)
    parents = (
        parent("demo/extract", "no json"),
        parent("demo/cut", '{"x": 1}', truncated=True),
        parent("demo/deep", "[" * 4000),
        parent("demo/nan", '{"x": NaN}'),
        parent("demo/dead", "", result=None, state=RunState.LOST),
    )
    given: list[tuple[str, dict[str, Any]]] = [
        ("target.query.q", {"query": {"q": template}}),
        ("target.headers.X-A", {"headers": (("X-A", template),)}),
        ("target.body.json", {"body": Body(json=template)}),
        ("target.body.json.b[1].a", {"body": Body(json={"a": "{{job}}", "b": ["{{{{", {"a": template}]})}),
        ("target.body.form.f", {"body": Body(form=(("f", template),))}),
        ("target.body.text", {"body": Body(text=f"a {template}")}),
    ]
    for path, fields in given:
        error = refused(call(server.url(), payload=PAYLOAD, parents=parents, **fields), "UnresolvedTemplate")
        assert error.message.startswith(f"{path}: ")
        assert said in error.message
    assert server.connections == 0


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"headers": (("X-A", "{{payload.line}}"),)}, "target.headers.X-A, once it is filled, contains a line break"),
        ({"headers": (("X-A", "{{payload.big}}"),)}, "target.headers.X-A, once it is filled, is longer than 8,192"),
        ({"headers": tuple((f"X-{n}", "{{payload.long}}") for n in range(3))}, "more than 8,192 characters in all"),
        ({"query": {"q": "{{payload.big}}"}}, "target.query.q, once it is filled, is longer than 8,000"),
        ({"body": Body(text="{{payload.big}}" * 120)}, "target.body.text, once it is filled, is longer than 1,048,576"),
        ({"body": Body(form=(("f", "{{payload.big}}" * 120),))}, "target.body.form.f, once it is filled, is longer"),
        ({"body": Body(json=["{{payload.big}}"] * 120)}, "target.body.json, once it is filled, is longer"),
        ({"body": Body(json=["{{payload.umlauts}}"])}, "target.body.json, once it is filled, is longer"),
    ],
)
def test_a_filled_request_that_is_too_large_or_no_header_is_not_sent(
    serve: Serve, fields: dict[str, Any], said: str
) -> None:
    server = serve(OK)
    payload = PAYLOAD | {"long": "y" * 4000, "umlauts": "ü" * 200_000}
    error = refused(call(server.url(), payload=payload, **fields), "InvalidRequest")
    assert said in error.message
    assert "X-B" not in error.message
    assert server.connections == 0
