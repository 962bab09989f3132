"""SnapStart for the functions that people wait for, written into what was built before it is deployed.

SnapStart is for published versions alone, so with it the API calls an alias instead of the functions themselves. An alias is kept out of
``template.yaml``: it would have everybody publish versions, and keep a changed function from being called before the next one.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from infra.deploy import parameters

FUNCTIONS = ("ApiFunction", "AuthorizerFunction")
"""Those on the way of a request; nobody waits for the others."""
ALIAS = "live"


def apply(built: Path, given: Mapping[str, str]) -> None:
    """Have the functions of the API start from snapshots.

    Args:
        built: what ``sam build`` made, whose template is rewritten.
        given: the parameters that it is deployed with.
    """
    path = built / "template.yaml"
    written = enabled(parameters.load(path), release_of(built, given))
    path.write_text(yaml.safe_dump(written, sort_keys=False, allow_unicode=True), encoding="utf-8")


def release_of(built: Path, given: Mapping[str, str]) -> str:
    """SHA-256, in hex, of all that was built and of the parameters: two that differ in anything have different ones."""
    digest = hashlib.sha256(repr(sorted(given.items())).encode())
    for path in sorted(built.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"\0{path.relative_to(built).as_posix()}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def enabled(template: Mapping[str, Any], release: str) -> dict[str, Any]:
    """The template with SnapStart. A release that differs from the one that is deployed publishes versions, and the old ones go.

    By itself SAM publishes a version when the address of the code changes: one whose parameters alone have changed would never be called.
    And it keeps every version for good, with its snapshot, which costs as much as the one in use.
    """
    resources = dict(template["Resources"])
    for name in FUNCTIONS:
        properties = resources[name]["Properties"]
        properties = properties | {
            # Lambda publishes no version of what has not changed since the last, and the deployment would fail for it.
            "Description": f"{properties['Description']} Release {release[:12]}.",
            "AutoPublishAlias": ALIAS,
            "AutoPublishCodeSha256": release,
            "SnapStart": {"ApplyOn": "PublishedVersions"},
        }
        resources[name] = resources[name] | {"DeletionPolicy": "Delete", "Properties": properties}
    api = resources["Api"]["Properties"]
    token = api["Auth"]["Authorizers"]["Token"] | {"FunctionArn": {"Ref": "AuthorizerFunction.Alias"}}
    auth = api["Auth"] | {"Authorizers": api["Auth"]["Authorizers"] | {"Token": token}}
    body = json.loads(json.dumps(api["DefinitionBody"]).replace("${ApiFunction.Arn}", "${ApiFunction.Alias}"))
    resources["Api"] = resources["Api"] | {"Properties": api | {"Auth": auth, "DefinitionBody": body}}
    permission = resources["ApiPermission"]["Properties"] | {"FunctionName": {"Ref": "ApiFunction.Alias"}}
    resources["ApiPermission"] = resources["ApiPermission"] | {"Properties": permission}
    return dict(template) | {"Resources": resources}
