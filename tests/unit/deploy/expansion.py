"""The template as CloudFormation gets it: expanded by the SAM translator."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from infra.template import load
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator

TEMPLATE = Path(__file__).parents[3] / "template.yaml"


def long_forms() -> dict[str, Any]:
    """``template.yaml`` with every ``Fn::GetAtt`` as a list and the code in a bucket, as ``sam package`` leaves it."""
    template: dict[str, Any] = _long(load(TEMPLATE))
    template["Globals"]["Function"]["CodeUri"] = "s3://bucket/key"
    return template


def _long(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: one.split(".", 1) if key == "Fn::GetAtt" and isinstance(one, str) else _long(one)
            for key, one in value.items()
        }
    return [_long(one) for one in value] if isinstance(value, list) else value


def expand(template: Mapping[str, Any], parameters: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The resources of the expanded template, by logical name. The arguments are left as they were."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        resources: dict[str, Any] = Translator({}, Parser()).translate(_long(template), dict(parameters or {}))[
            "Resources"
        ]
    return resources


def of_type(resources: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The resources of one type, such as ``AWS::Lambda::Permission``."""
    return {name: one for name, one in resources.items() if one["Type"] == kind}
