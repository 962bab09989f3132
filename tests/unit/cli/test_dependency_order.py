"""Jobs that depend on each other, applied together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from minutehand.cli.documents.dependency_order import parents_in, save_order
from minutehand.cli.documents.files import Document
from minutehand.cli.failures import Exit, Failure
from minutehand.domain.errors import Conflict
from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli, Unsaved


def document(name: str, *parents: Any, namespace: str = "shop") -> Document:
    """A job's document, which depends on these."""
    entries = [{"job": each, "on": "success"} if isinstance(each, str) else each for each in parents]
    return Document(place=f"{name}.yaml:1", job=f"{namespace}/{name}", content={"name": name, "depends_on": entries})


def waves(*documents: Document) -> list[str]:
    return ["".join(documents[n].content["name"] for n in wave) for wave in save_order(documents)]


def test_each_job_comes_after_those_that_it_depends_on() -> None:
    assert waves(document("d", "b", "c"), document("c", "a"), document("b", "a"), document("a")) == ["a", "cb", "d"]


def test_jobs_without_parents_are_one_wave_in_their_order() -> None:
    assert waves(document("b"), document("a"), document("c")) == ["bac"]
    assert waves() == []


def test_parents_that_are_not_among_them_have_no_place_in_the_order() -> None:
    assert waves(document("b", "elsewhere"), document("a", "shop/b")) == ["b", "a"]


def test_a_parent_without_a_namespace_is_in_that_of_its_child() -> None:
    child = document("child", "parent", "other/parent", "shop/parent", namespace="shop")
    jobs = dict.fromkeys(("shop/parent", "other/parent", "shop/child"))
    assert parents_in(child, jobs) == ["shop/parent", "other/parent"]


@pytest.mark.parametrize("entries", [None, "parent", {"job": "parent"}, ["parent"], [{"on": "end"}], [{"job": 7}]])
def test_what_is_not_formed_as_it_should_be_is_left_to_the_api(entries: Any) -> None:
    odd = Document(place="odd.yaml:1", job="shop/odd", content={"depends_on": entries})
    assert parents_in(odd, {"shop/parent": 1}) == []


def test_a_job_that_depends_on_itself_is_left_to_the_api() -> None:
    assert waves(document("a", "a")) == ["a"]


def test_a_circle_is_reported_as_they_would_run() -> None:
    with pytest.raises(Failure) as failure:
        save_order([document("x", "c"), document("a", "c"), document("b", "a"), document("c", "b")])
    (error,) = failure.value.problem["errors"]
    assert error["message"] == "dependency cycle: shop/c -> shop/a -> shop/b -> shop/c"
    assert error["job"] == "shop/c"


def write(*jobs: dict[str, Any]) -> None:
    target = {"type": "http", "url": "https://a"}
    for job in jobs:
        Path(f"{job['name']}.json").write_text(json.dumps({"schedule": "@hourly", "target": target} | job))


def on(parent: str) -> list[dict[str, str]]:
    return [{"job": parent, "on": "success"}]


def test_a_chain_of_new_jobs_is_applied_at_once_whatever_their_order(api: ApiServer, cli: Cli) -> None:
    write({"name": "a", "depends_on": on("b")}, {"name": "b", "depends_on": on("c")}, {"name": "c"})
    result = cli("apply", "-f", "a.json", "-f", "b.json", "-f", "c.json", "-n", "demo")
    assert result.stdout.split()[1::4] == ["demo/a", "demo/b", "demo/c"]
    saved = [each["job"]["name"] for r in api.requests if not r.query for each in r.body["jobs"]]
    assert saved == ["c", "b", "a"]


def test_a_dry_run_of_a_chain_of_new_jobs_goes_well(cli: Cli) -> None:
    write({"name": "a", "depends_on": on("b")}, {"name": "b"})
    assert cli("apply", "--dry-run", "-f", "a.json", "-f", "b.json").exit_code == Exit.DONE


def test_a_parent_that_is_nowhere_is_refused(api: ApiServer, cli: Cli) -> None:
    write({"name": "a", "depends_on": on("nobody")}, {"name": "b"})
    result = cli("apply", "-f", "a.json", "-f", "b.json")
    assert (result.exit_code, api.jobs) == (Exit.USAGE, {})
    assert "there is no job default/nobody" in result.stderr


def test_a_circle_of_new_jobs_is_refused_before_anything_is_sent(api: ApiServer, cli: Cli) -> None:
    write({"name": "a", "depends_on": on("b")}, {"name": "b", "depends_on": on("a")})
    result = cli("apply", "-f", "a.json", "-f", "b.json")
    assert (result.exit_code, api.requests) == (Exit.USAGE, [])
    assert "dependency cycle: default/a -> default/b -> default/a" in result.stderr


def test_when_a_parent_cannot_be_saved_its_children_are_not_tried(api: ApiServer, cli: Cli, unsaved: Unsaved) -> None:
    write({"name": "a", "depends_on": on("b")}, {"name": "b"}, {"name": "c"})
    unsaved("b", Conflict("somebody else changed it"))
    result = cli("apply", "-f", "a.json", "-f", "b.json", "-f", "c.json")
    assert result.exit_code != Exit.DONE
    assert "default/a" not in api.jobs
