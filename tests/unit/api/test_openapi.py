"""The OpenAPI description holds for what the API takes and answers, and the page that shows it loads nothing from elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin

import pytest
from infra import api_examples
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from minutehand.entrypoints.api import openapi
from minutehand.entrypoints.api.documents.query import PARAMETERS
from minutehand.entrypoints.api.route import Route
from minutehand.entrypoints.api.routes import ROUTES
from tests.unit.api.conftest import JOB, PATH, Api

EXAMPLES = json.loads(api_examples.FILE.read_text(encoding="utf-8"))
DESCRIPTION = openapi.description(EXAMPLES)
DESCRIBED = [route for route in ROUTES if not route.for_people]
_HERE = "urn:description"
_REGISTRY: Registry[Any] = Registry().with_resource(
    _HERE, Resource.from_contents({"$schema": Draft202012Validator.META_SCHEMA["$id"], **DESCRIPTION})
)


def problems(value: Any, schema: Mapping[str, Any]) -> list[str]:
    text = json.dumps(schema).replace('"#/', f'"{_HERE}#/')
    return [
        f"{each.json_path}: {each.message}"
        for each in Draft202012Validator(json.loads(text), registry=_REGISTRY).iter_errors(value)
    ]


def operation(name: str) -> dict[str, Any]:
    method, _, path = name.partition(" ")
    found: dict[str, Any] = DESCRIPTION["paths"][path][method.lower()]
    return found


def answers(name: str, status: int) -> dict[str, Any]:
    content = operation(name)["responses"][str(status)]["content"]
    return next(iter(content.values()))["schema"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", [f"{route.method} {route.path}" for route in DESCRIBED])
def test_every_route_has_an_example_whose_answer_is_as_described(name: str) -> None:
    request, answer = EXAMPLES[name]["request"], EXAMPLES[name]["answer"]
    if answer["body"] is not None:
        assert problems(answer["body"], answers(name, answer["status"])) == []
    if "body" in request:
        assert problems(request["body"], operation(name)["requestBody"]["content"]["application/json"]["schema"]) == []


def test_the_examples_are_what_the_api_answers_today() -> None:
    assert json.loads(json.dumps(api_examples.examples())) == EXAMPLES


def test_names_of_operations_are_unique() -> None:
    names = [each["operationId"] for methods in DESCRIPTION["paths"].values() for each in methods.values()]
    assert len(names) == len(set(names)) == len(DESCRIBED)


def test_every_query_parameter_is_declared_and_used() -> None:
    assert {name for route in ROUTES for name in route.query} == set(PARAMETERS)


@pytest.mark.thorough
def test_every_reference_leads_to_a_schema_with_fields_that_are_described() -> None:
    text = json.dumps(DESCRIPTION)
    schemas = DESCRIPTION["components"]["schemas"]
    assert set(re.findall(r'"#/components/schemas/(\w+)"', text)) == set(schemas)
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)


def test_every_header_that_routes_share_is_described_and_used() -> None:
    text, components = json.dumps(DESCRIPTION["paths"]), DESCRIPTION["components"]
    for kind in ("parameters", "headers"):
        assert set(re.findall(rf'"#/components/{kind}/(\w+)"', text)) == set(components[kind])
        for each in components[kind].values():
            Draft202012Validator.check_schema(each["schema"])
            assert all(problems(value, each["schema"]) == [] for value in each["schema"]["examples"])


@pytest.mark.parametrize("route", DESCRIBED, ids=lambda route: f"{route.method} {route.path}")
def test_an_answer_has_a_tag_exactly_where_it_is_described(route: Route) -> None:
    name = f"{route.method} {route.path}"
    answer = EXAMPLES[name]["answer"]
    described = operation(name)["responses"][str(answer["status"])].get("headers", {})
    assert set(answer["headers"]) == set(described)


@pytest.mark.parametrize("name", ['"7"', 'W/"7"', '"a", W/"b",  "c"', "*", '""'])
def test_the_pattern_of_tags_allows_what_the_api_takes(name: str) -> None:
    assert problems(name, DESCRIPTION["components"]["parameters"]["IfMatch"]["schema"]) == []


def test_a_page_of_runs_across_jobs_says_how_far_it_looked() -> None:
    schema = DESCRIPTION["components"]["schemas"]["FoundRunsPage"]
    assert schema["required"] == ["items", "next", "looked_until"]
    assert schema["properties"]["looked_until"]["format"] == "date-time"


def test_a_problem_is_as_described(api: Api) -> None:
    answer = api.put(JOB | {"schedule": "61 * * * *"})
    assert answer.status == 422
    assert problems(answer.body, answers("PUT /v1/namespaces/{namespace}/jobs/{name}", 422)) == []


def test_a_dry_run_is_as_described(api: Api) -> None:
    answer = api.put(JOB, query={"dry_run": "true"})
    assert problems(answer.body, answers("PUT /v1/namespaces/{namespace}/jobs/{name}", 200)) == []
    api.put(JOB)
    range_ = {"from": "2026-11-20T00:00:00Z", "to": "2026-11-20T06:00:00Z", "dry_run": True}
    backfill = api.post(f"{PATH}/backfills", body=range_)
    assert problems(backfill.body, answers("POST /v1/namespaces/{namespace}/jobs/{name}/backfills", 200)) == []


def test_the_description_belongs_to_whatever_address_serves_it(api: Api) -> None:
    [server] = api.get("/v1/openapi.json").body["servers"]
    assert urljoin("https://example.com/prod/v1/openapi.json", server["url"]) == "https://example.com/prod/"


def test_the_page_loads_its_own_files_alone(api: Api) -> None:
    page = api.by(authorized=False).app.resolve(_event("/docs"), None)
    assert "default-src 'none'" in page["multiValueHeaders"]["Content-Security-Policy"][0]
    files = re.findall(r'(?:src|href)="([^"]+)"', page["body"])
    assert files
    assert not [file for file in files if "//" in file]
    for file in files:
        name = file.partition("?")[0]
        answer = api.app.resolve(_event(f"/{name}"), None)
        assert (answer["statusCode"], bool(answer["body"])) == (200, True)


def test_a_file_that_the_page_does_not_have_is_not_found(api: Api) -> None:
    assert api.get("/docs/..%2Fapp.py").status == 404


def _event(path: str) -> dict[str, Any]:
    return {
        "path": path,
        "httpMethod": "GET",
        "headers": {},
        "queryStringParameters": None,
        "requestContext": {"requestId": "req-1", "stage": "prod", "path": f"/prod{path}"},
        "body": None,
        "isBase64Encoded": False,
    }
