"""What a deployment was told: by whoever runs it now, else in ``samconfig.local.toml`` earlier, else by default."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from infra.deploy.errors import DeployError
from infra.deploy.parameters import parse

DEFAULT_STACK = "minutehand"
_HEADER = """\
# Written by `make deploy`; edit it as you like. Each table is one stack: `make deploy ENV=name` takes [name.deploy.parameters].
version = 0.1
"""


@dataclass(frozen=True, kw_only=True)
class Choices:
    """One stack: its name, where it goes, and the parameters and tags that differ from the template's.

    Attributes:
        snapstart: ``on`` or ``off``: whether the functions of the API start from snapshots; empty where nobody has said.
    """

    stack: str = ""
    region: str = ""
    profile: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    snapstart: str = ""

    def over(self, earlier: "Choices") -> "Choices":
        """These, and what they leave open as it was earlier."""
        return Choices(
            stack=self.stack or earlier.stack,
            region=self.region or earlier.region,
            profile=self.profile or earlier.profile,
            parameters=dict(earlier.parameters) | dict(self.parameters),
            tags=dict(earlier.tags) | dict(self.tags),
            snapstart=self.snapstart or earlier.snapstart,
        )


def load(path: Path, environment: str) -> Choices:
    """What was chosen for this environment earlier, or nothing; raises ``DeployError`` for a file that is not as it should be."""
    table = _tables(path).get(environment, {})
    chosen = table.get("deploy", {}).get("parameters", {}) if isinstance(table, dict) else {}
    return Choices(
        stack=str(chosen.get("stack_name", "")),
        region=str(chosen.get("region", "")),
        profile=str(chosen.get("profile", "")),
        parameters=_pairs(chosen.get("parameter_overrides", "")),
        tags=_pairs(chosen.get("tags", "")),
        snapstart=str(chosen.get("snapstart", "")),
    )


def save(path: Path, environment: str, choices: Choices) -> None:
    """Keep these choices for the next time. The SAM CLI understands the file too."""
    tables = _tables(path)
    tables.pop("version", None)
    tables[environment] = {
        "deploy": {
            "parameters": {
                key: value
                for key, value in {
                    "stack_name": choices.stack,
                    "region": choices.region,
                    "profile": choices.profile,
                    "parameter_overrides": [f"{name}={value}" for name, value in choices.parameters.items()],
                    "tags": [f"{name}={value}" for name, value in choices.tags.items()],
                    "snapstart": choices.snapstart,  # ours alone; the SAM CLI passes it over
                }.items()
                if value
            }
        }
    }
    body = _HEADER
    for name, table in tables.items():
        body += f"\n[{json.dumps(name)}.deploy.parameters]\n"
        for key, value in table["deploy"]["parameters"].items():
            body += (
                f"{key} = {json.dumps(value, ensure_ascii=False)}\n"  # JSON's strings, lists and booleans are TOML's
            )
    path.write_text(body, encoding="utf-8")


def _tables(path: Path) -> dict[str, dict[str, dict[str, dict[str, object]]]]:
    try:
        tables: dict[str, dict[str, dict[str, dict[str, object]]]] = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except tomllib.TOMLDecodeError as error:
        raise DeployError(
            f"{path.name} is not TOML: {error}", how=["Correct it, or delete it to be asked again."]
        ) from error
    return tables


def _pairs(value: object) -> dict[str, str]:
    """``parameter_overrides`` as SAM writes it (a text, with quotes or without) or as we do (a list)."""
    words = [str(one) for one in value] if isinstance(value, list) else str(value).split()
    pairs: dict[str, str] = {}
    for word in words:
        if " " in word and isinstance(value, list):
            name, _, text = word.partition("=")
            pairs[name] = text
        else:
            pairs |= parse(word)
    return {name: text.strip('"') for name, text in pairs.items()}
