"""Names that are none, in the path and in the document."""

from __future__ import annotations

import pytest

from tests.unit.api.bad_input.fields.row import TARGET
from tests.unit.api.conftest import JOB, Api


@pytest.mark.parametrize("name", ["name with spaces", "Name", "-a", "a" * 129, "ä", 'quo"te', "a#b", "%2e%2e", "a%20b"])
def test_an_invalid_name_in_a_path_is_422(api: Api, name: str) -> None:
    for path, field in ((f"/v1/namespaces/demo/jobs/{name}", "name"), (f"/v1/namespaces/{name}/jobs/a", "namespace")):
        for answer in (api.put(path=path), api.get(path)):
            assert answer.status == 422
            assert list(answer.errors) == [field]
            assert "is not a valid name" in answer.errors[field]["message"]
            assert "1 to 128 of a-z" in answer.errors[field]["hint"]


@pytest.mark.parametrize("end", ["\n", "%0a", "%0A"])
def test_a_line_break_after_a_name_is_not_overlooked(api: Api, end: str) -> None:
    job = f"/v1/namespaces/demo/jobs/nl{end}"
    answers = [api.get(job), api.put(path=job), api.delete(job), api.post(f"{job}/pause")]
    assert [answer.status for answer in answers] == [422] * 4


@pytest.mark.parametrize("name", ["%2561", "%25252561", "a%2e%252e"])
def test_a_name_is_decoded_once(api: Api, name: str) -> None:
    assert api.get(f"/v1/namespaces/demo/jobs/{name}").status == 422


@pytest.mark.parametrize("name", ["%61", "%6A", "a%2d", "a%5f", "1%2E", "%39"])
def test_a_name_that_an_emulator_has_decoded_once_is_not_decoded_again(api: Api, name: str) -> None:
    """On AWS nobody encodes these characters; on an emulator that decodes paths, `%2561` arrives as `%61`."""
    for answer in (api.put(path=f"/v1/namespaces/demo/jobs/{name}"), api.put(path=f"/v1/namespaces/{name}/jobs/a")):
        assert (answer.status, len(answer.errors)) == (422, 1)
        assert f"{name!r} is not a valid name" in answer.body["detail"]


def test_a_name_with_spaces_gets_a_proposal(api: Api) -> None:
    hint = api.put(path="/v1/namespaces/demo/jobs/My nightly job").errors["name"]["hint"]
    assert hint.startswith("did you mean 'my-nightly-job'?")


def test_errors_of_the_path_and_the_document_are_reported_together(api: Api) -> None:
    answer = api.put({"timeout": "8d", "schedule": "61 * * * *", "target": TARGET}, "/v1/namespaces/A b/jobs/B")
    assert answer.status == 422
    assert set(answer.errors) == {"namespace", "name", "timeout", "schedule"}
    assert answer.body["detail"].startswith("4 fields are invalid: ")


def test_an_invalid_name_in_both_path_and_document_is_reported_once(api: Api) -> None:
    answer = api.put(JOB | {"name": "My Job"}, "/v1/namespaces/demo/jobs/My Job")
    assert [error["path"] for error in answer.body["errors"]] == ["name"]
    assert answer.errors["name"]["message"] == "'My Job' is not a valid name"


def test_an_invalid_name_in_the_path_hides_that_the_documents_name_differs(api: Api) -> None:
    answer = api.put(JOB | {"name": "my-job"}, "/v1/namespaces/demo/jobs/My Job")
    assert [error["message"] for error in answer.body["errors"]] == ["'My Job' is not a valid name"]
