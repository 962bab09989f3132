"""Names that are none, in the path and in the document."""

from __future__ import annotations

import pytest

from tests.unit.api.bad_input.fields.row import TARGET
from tests.unit.api.conftest import JOB, Api


@pytest.mark.parametrize("name", ["name with spaces", "Name", "-a", "a" * 129, "ä", 'quo"te', "a#b", "%2e%2e", "a%20b"])
def test_a_path_with_a_name_that_is_none_is_422(api: Api, name: str) -> None:
    for path, field in ((f"/v1/namespaces/demo/jobs/{name}", "name"), (f"/v1/namespaces/{name}/jobs/a", "namespace")):
        for answer in (api.put(path=path), api.get(path)):
            assert answer.status == 422
            assert list(answer.errors) == [field]
            assert "is not a valid name" in answer.errors[field]["message"]
            assert "1 to 128 of a-z" in answer.errors[field]["hint"]


def test_a_name_with_spaces_gets_a_proposal(api: Api) -> None:
    hint = api.put(path="/v1/namespaces/demo/jobs/My nightly job").errors["name"]["hint"]
    assert hint.startswith("did you mean 'my-nightly-job'?")


def test_both_names_of_a_path_are_told(api: Api) -> None:
    assert set(api.get("/v1/namespaces/A/jobs/B").errors) == {"namespace", "name"}


def test_what_is_wrong_with_the_path_is_told_together_with_what_is_wrong_with_the_document(api: Api) -> None:
    answer = api.put({"timeout": "8d", "schedule": "61 * * * *", "target": TARGET}, "/v1/namespaces/A b/jobs/B")
    assert answer.status == 422
    assert set(answer.errors) == {"namespace", "name", "timeout", "schedule"}
    assert answer.body["detail"].startswith("4 fields are invalid: ")


def test_a_bad_name_that_path_and_document_share_is_told_once(api: Api) -> None:
    answer = api.put(JOB | {"name": "My Job"}, "/v1/namespaces/demo/jobs/My Job")
    assert [error["path"] for error in answer.body["errors"]] == ["name"]
    assert answer.errors["name"]["message"] == "'My Job' is not a valid name"


def test_a_bad_name_in_the_path_is_told_and_not_that_the_document_has_a_good_one(api: Api) -> None:
    answer = api.put(JOB | {"name": "my-job"}, "/v1/namespaces/demo/jobs/My Job")
    assert [error["message"] for error in answer.body["errors"]] == ["'My Job' is not a valid name"]
