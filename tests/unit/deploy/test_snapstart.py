from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from infra.deploy import snapstart

from tests.unit.deploy.expansion import expand, long_forms, of_type


def built(folder: Path) -> Path:
    """A folder as `sam build` leaves it, as far as it matters here: the template and a function's code."""
    folder.mkdir()
    (folder / "template.yaml").write_text(yaml.safe_dump(long_forms(), sort_keys=False))
    (folder / "ApiFunction").mkdir()
    (folder / "ApiFunction" / "app.py").write_text("answer = 42\n")
    return folder


def deployed(folder: Path) -> dict[str, Any]:
    """The resources that CloudFormation makes of it."""
    return expand(yaml.safe_load((folder / "template.yaml").read_text()))


@pytest.mark.thorough
def test_without_snapstart_no_version_is_published(tmp_path: Path) -> None:
    resources = deployed(built(tmp_path / "built"))
    assert not of_type(resources, "AWS::Lambda::Version")
    assert not of_type(resources, "AWS::Lambda::Alias")
    assert not [one for one in of_type(resources, "AWS::Lambda::Function").values() if "SnapStart" in one["Properties"]]


@pytest.mark.thorough
def test_with_snapstart_the_api_calls_published_versions(tmp_path: Path) -> None:
    folder = built(tmp_path / "built")
    snapstart.apply(folder, {})
    resources = deployed(folder)
    functions = of_type(resources, "AWS::Lambda::Function")
    with_snapstart = {name for name, one in functions.items() if one["Properties"].get("SnapStart")}
    assert with_snapstart == {"ApiFunction", "AuthorizerFunction"}
    assert {functions[name]["Properties"]["SnapStart"]["ApplyOn"] for name in with_snapstart} == {"PublishedVersions"}
    assert of_type(resources, "AWS::Lambda::Alias").keys() == {"ApiFunctionAliaslive", "AuthorizerFunctionAliaslive"}
    called = json.dumps(resources["Api"]["Properties"]["Body"])
    assert "ApiFunctionAliaslive" in called
    assert "AuthorizerFunctionAliaslive" in called
    assert "ApiFunction.Arn" not in called
    assert 'AuthorizerFunction"' not in called
    by_gateway = [
        one["Properties"]["FunctionName"]["Ref"]
        for one in of_type(resources, "AWS::Lambda::Permission").values()
        if one["Properties"]["Principal"] == "apigateway.amazonaws.com"
    ]
    assert sorted(by_gateway) == [
        *["AccessFunction"] * 2,
        *["AgentsFunction"] * 2,
        *["ApiFunctionAliaslive"] * 3,
        "AuthorizerFunctionAliaslive",
    ]
    signed = json.dumps(resources["IamApi"]["Properties"]["Body"])
    assert "ApiFunctionAliaslive" in signed
    assert "ApiFunction.Arn" not in signed


@pytest.mark.thorough
def test_an_old_version_is_deleted_with_its_snapshot(tmp_path: Path) -> None:
    folder = built(tmp_path / "built")
    snapstart.apply(folder, {})
    versions = of_type(deployed(folder), "AWS::Lambda::Version")
    assert [one["DeletionPolicy"] for one in versions.values()] == ["Delete", "Delete"]


def _versions(folder: Path, parameters: Mapping[str, str]) -> dict[str, str]:
    """The published versions, each with the description of its function, which must change with it."""
    snapstart.apply(folder, parameters)
    resources = deployed(folder)
    functions = {name: resources[name]["Properties"]["Description"] for name in snapstart.FUNCTIONS}
    return {
        name: functions[one["Properties"]["FunctionName"]["Ref"]]
        for name, one in of_type(resources, "AWS::Lambda::Version").items()
    }


@pytest.mark.thorough
def test_versions_are_published_if_anything_changed_and_only_then(tmp_path: Path) -> None:
    first = _versions(built(tmp_path / "first"), {"DueShards": "8"})
    assert _versions(built(tmp_path / "again"), {"DueShards": "8"}) == first
    parameter = _versions(built(tmp_path / "parameter"), {"DueShards": "16"})
    other = built(tmp_path / "code")
    (other / "ApiFunction" / "app.py").write_text("answer = 43\n")
    code = _versions(other, {"DueShards": "8"})
    other = built(tmp_path / "template")
    (other / "template.yaml").write_text((other / "template.yaml").read_text().replace("Timeout: 29", "Timeout: 28"))
    template = _versions(other, {"DueShards": "8"})
    every = [first, parameter, code, template]
    assert len({name for each in every for name in each}) == 2 * len(every)
    # Lambda publishes no version of an unchanged function, and the deployment would fail.
    assert len({description for each in every for description in each.values()}) == 2 * len(every)


def test_bytecode_does_not_change_the_release(tmp_path: Path) -> None:
    folder = built(tmp_path / "built")
    before = snapstart.release_of(folder, {})
    (folder / "ApiFunction" / "__pycache__").mkdir()
    (folder / "ApiFunction" / "__pycache__" / "app.pyc").write_bytes(b"compiled")
    assert snapstart.release_of(folder, {}) == before
