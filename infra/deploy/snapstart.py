"""SnapStart for the functions of the API, added to the built template before it is deployed.

SnapStart works for published versions only, so the API then calls an alias instead of the functions. ``template.yaml`` has no
alias: with one, everybody would have to publish versions, and a changed function would not be called before its next version.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from infra.template import load

FUNCTIONS = ("ApiFunction", "AuthorizerFunction")
"""The functions that handle requests; for the others a cold start does not matter."""
ALIAS = "live"


def apply(built: Path, parameters: Mapping[str, str]) -> None:
    """Rewrite the built template so that the functions of the API start from snapshots.

    Args:
        built: the output of ``sam build``.
        parameters: the values of the template's parameters in this deployment.
    """
    path = built / "template.yaml"
    written = enabled(load(path), release_of(built, parameters))
    path.write_text(yaml.safe_dump(written, sort_keys=False, allow_unicode=True), encoding="utf-8")


def release_of(built: Path, parameters: Mapping[str, str]) -> str:
    """An identifier of a release: the SHA-256, in hex, of the built files and the parameters."""
    digest = hashlib.sha256(repr(sorted(parameters.items())).encode())
    for path in sorted(built.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"\0{path.relative_to(built).as_posix()}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def enabled(template: Mapping[str, Any], release: str) -> dict[str, Any]:
    """The template with SnapStart. A release other than the deployed one publishes new versions and deletes the old ones.

    By default SAM publishes a version only when the address of the code changes, so a change of parameters alone would never take
    effect. Also by default, SAM retains old versions with their snapshots, each of which costs as much as the one in use.
    """
    resources = dict(template["Resources"])
    for name in FUNCTIONS:
        properties = resources[name]["Properties"]
        properties = properties | {
            # Lambda publishes no version of an unchanged function, and the deployment would fail.
            "Description": f"{properties['Description']} Release {release[:12]}.",
            "AutoPublishAlias": ALIAS,
            "AutoPublishCodeSha256": release,
            "SnapStart": {"ApplyOn": "PublishedVersions"},
        }
        resources[name] = resources[name] | {"DeletionPolicy": "Delete", "Properties": properties}
    api = resources["Api"]["Properties"]
    token = api["Auth"]["Authorizers"]["Token"] | {"FunctionArn": {"Ref": "AuthorizerFunction.Alias"}}
    auth = api["Auth"] | {"Authorizers": api["Auth"]["Authorizers"] | {"Token": token}}
    resources["Api"] = resources["Api"] | {"Properties": api | {"Auth": auth}}
    for name in ("Api", "IamApi"):
        properties = resources[name]["Properties"]
        body = json.loads(
            json.dumps(properties["DefinitionBody"]).replace("${ApiFunction.Arn}", "${ApiFunction.Alias}")
        )
        resources[name] = resources[name] | {"Properties": properties | {"DefinitionBody": body}}
    for name in ("ApiPermission", "DocsPermission", "IamApiPermission"):
        permission = resources[name]["Properties"] | {"FunctionName": {"Ref": "ApiFunction.Alias"}}
        resources[name] = resources[name] | {"Properties": permission}
    return dict(template) | {"Resources": resources}
