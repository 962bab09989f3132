"""Settings of a deployment, kept in ``samconfig.local.toml``."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from infra.deploy.errors import DeployError
from infra.deploy.parameters import parse

DEFAULT_STACK = "minutehand"
_HEADER = """\
# Written by `make deploy`; you may edit it. Each table is one stack: `make deploy ENV=name` reads [name.deploy.parameters].
version = 0.1
"""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of one stack; an empty text is not set.

    Attributes:
        parameters: values other than the template's defaults.
        snapstart: ``on`` or ``off``: whether the functions of the API start from snapshots.
    """

    stack: str = ""
    region: str = ""
    profile: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    snapstart: str = ""

    def over(self, earlier: "Settings") -> "Settings":
        """These settings, with the earlier value of each that is not set. Parameters and tags are merged name by name."""
        return Settings(
            stack=self.stack or earlier.stack,
            region=self.region or earlier.region,
            profile=self.profile or earlier.profile,
            parameters=dict(earlier.parameters) | dict(self.parameters),
            tags=dict(earlier.tags) | dict(self.tags),
            snapstart=self.snapstart or earlier.snapstart,
        )


def load_settings(path: Path, environment: str) -> Settings:
    """The kept settings of an environment, empty if there are none; raises ``DeployError`` if the file is not TOML."""
    table = _tables(path).get(environment, {})
    saved = table.get("deploy", {}).get("parameters", {}) if isinstance(table, dict) else {}
    return Settings(
        stack=str(saved.get("stack_name", "")),
        region=str(saved.get("region", "")),
        profile=str(saved.get("profile", "")),
        parameters=_pairs(saved.get("parameter_overrides", "")),
        tags=_pairs(saved.get("tags", "")),
        snapstart=str(saved.get("snapstart", "")),
    )


def save_settings(path: Path, environment: str, settings: Settings) -> None:
    """Keep the settings of an environment. The SAM CLI can read the file too."""
    tables = _tables(path)
    tables.pop("version", None)
    tables[environment] = {
        "deploy": {
            "parameters": {
                key: value
                for key, value in {
                    "stack_name": settings.stack,
                    "region": settings.region,
                    "profile": settings.profile,
                    "parameter_overrides": [f"{name}={value}" for name, value in settings.parameters.items()],
                    "tags": [f"{name}={value}" for name, value in settings.tags.items()],
                    "snapstart": settings.snapstart,  # our own; the SAM CLI ignores it
                }.items()
                if value
            }
        }
    }
    body = _HEADER
    for name, table in tables.items():
        body += f"\n[{json.dumps(name)}.deploy.parameters]\n"
        for key, value in table["deploy"]["parameters"].items():
            body += f"{key} = {json.dumps(value, ensure_ascii=False)}\n"  # JSON strings and lists are valid TOML
    path.write_text(body, encoding="utf-8")


def _tables(path: Path) -> dict[str, dict[str, dict[str, dict[str, object]]]]:
    try:
        tables: dict[str, dict[str, dict[str, dict[str, object]]]] = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except tomllib.TOMLDecodeError as error:
        raise DeployError(
            f"{path.name} is not TOML: {error}", hints=["Correct it, or delete it to be asked again."]
        ) from error
    return tables


def _pairs(value: object) -> dict[str, str]:
    """``parameter_overrides`` as the SAM CLI writes it (a text, with or without quotes) or as we do (a list)."""
    words = [str(one) for one in value] if isinstance(value, list) else str(value).split()
    pairs: dict[str, str] = {}
    for word in words:
        if " " in word and isinstance(value, list):
            name, _, text = word.partition("=")
            pairs[name] = text
        else:
            pairs |= parse(word)
    return {name: text.strip('"') for name, text in pairs.items()}
