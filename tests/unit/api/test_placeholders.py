"""A job that an import has left to be completed is refused, with what to do, and without further complaints about the same field."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.api.conftest import JOB, Api

TASK = {
    "type": "ecs",
    "cluster": "arn:aws:ecs:eu-west-1:111122223333:cluster/jobs",
    "task_definition": "arn:aws:ecs:eu-west-1:111122223333:task-definition/report",
    "container": "main",
}


@pytest.mark.parametrize(
    ("target", "paths"),
    [
        ({"type": "http", "url": "to-be-completed"}, ["target.url"]),
        (TASK | {"container": "to-be-completed"}, ["target.container"]),
        (
            TASK | {"cluster": "to-be-completed", "task_definition": "to-be-completed"},
            ["target.cluster", "target.task_definition"],
        ),
    ],
    ids=str,
)
def test_a_placeholder_is_refused(target: dict[str, Any], paths: list[str], api: Api) -> None:
    answer = api.put({**JOB, "target": target})
    assert answer.status == 422
    ours = [each for each in answer.body["errors"] if "completed" in each["message"]]
    assert [each["path"] for each in ours] == paths
    assert all("--target FILE" in each["hint"] for each in ours)
    assert len([each for each in answer.body["errors"] if each["path"] in paths]) == len(paths)


def test_the_word_is_allowed_elsewhere(api: Api) -> None:
    answer = api.put({**JOB, "description": "to-be-completed"})
    assert answer.status in {200, 201}
