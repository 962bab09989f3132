"""The two tables, created from the deployed template."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

STORAGE = Path(__file__).parents[2] / "infra" / "storage.yaml"
_MADE = ("BillingMode", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes")


class _Template(yaml.SafeLoader):
    """Loads a template without resolving its functions (`!Ref`, `!GetAtt`)."""


_Template.add_multi_constructor("!", lambda _loader, _suffix, _node: None)


def create(client: Any, *, suffix: str = "") -> tuple[str, str]:
    """Create the Jobs and the Runs table. Returns their names, which end in `suffix`."""
    resources = yaml.load(STORAGE.read_text(encoding="utf-8"), _Template)["Resources"]  # noqa: S506 - a SafeLoader
    names = (f"JobsTable{suffix}", f"RunsTable{suffix}")
    for name, resource in zip(names, ("JobsTable", "RunsTable"), strict=True):
        properties = resources[resource]["Properties"]
        client.create_table(TableName=name, **{key: properties[key] for key in _MADE})
        client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    return names
