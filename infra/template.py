"""CloudFormation templates as plain dictionaries and lists."""

from pathlib import Path
from typing import Any

import yaml


class _Template(yaml.SafeLoader):
    """YAML with CloudFormation's short forms, such as ``!Ref``."""


def _long_form(loader: yaml.SafeLoader, tag: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        value: Any = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        assert isinstance(node, yaml.MappingNode)  # noqa: S101 (YAML has no fourth kind)
        value = loader.construct_mapping(node, deep=True)
    return {tag if tag in {"Ref", "Condition"} else f"Fn::{tag}": value}


_Template.add_multi_constructor("!", _long_form)


def load(path: Path) -> dict[str, Any]:
    """Read a template, with its short forms as long ones (``{"Ref": …}``, ``{"Fn::If": …}``)."""
    loaded: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=_Template)  # noqa: S506 (a safe loader)
    return loaded
