"""The API's address and token: from the environment, else from the local stack's file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from minutehand.client.errors import ConfigurationError

LOCAL_FILE = Path(".minutehand") / "local.json"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The API's address and token; `origin` says where the address was found. The token is not in `repr`."""

    url: str
    token: str | None = field(repr=False)
    origin: str


def find_settings(environment: Mapping[str, str], directory: Path, *, needs_token: bool = True) -> Settings:
    """Read `MINUTEHAND_URL` and `MINUTEHAND_TOKEN`, else `.minutehand/local.json` in `directory` or a parent of it.

    `MINUTEHAND_TOKEN` may be combined with the file's address. `MINUTEHAND_URL` is never combined with the file's token: that
    would send one stack's secret to another.

    Raises ConfigurationError when both are missing, the file is unusable, or a required token is missing.
    """
    url = environment.get("MINUTEHAND_URL", "").strip()
    token = environment.get("MINUTEHAND_TOKEN", "").strip()
    if url:
        if not token and needs_token:
            raise ConfigurationError(
                "MINUTEHAND_URL is set, but MINUTEHAND_TOKEN is not",
                hint="set MINUTEHAND_TOKEN to a token of that API, or unset MINUTEHAND_URL to use the local stack's file",
            )
        return Settings(url=url, token=token or None, origin="MINUTEHAND_URL")
    path = next((path for at in (directory, *directory.parents) if (path := at / LOCAL_FILE).is_file()), None)
    if path is None:
        raise ConfigurationError(
            f"MINUTEHAND_URL is not set, and {directory} and its parents have no {LOCAL_FILE.as_posix()}",
            hint="run `make up` for a stack on this machine, or set MINUTEHAND_URL and MINUTEHAND_TOKEN",
        )
    values = _read(path)
    token = token or values.get("token", "")
    if not token and needs_token:
        raise ConfigurationError(f"{path} has no token", hint="run `make up` again, or set MINUTEHAND_TOKEN")
    if not values.get("url"):
        raise ConfigurationError(f"{path} has no url", hint="run `make up` again, or set MINUTEHAND_URL")
    return Settings(url=values["url"], token=token or None, origin=str(path))


def _read(path: Path) -> dict[str, str]:
    again = "run `make up` again to write it anew"
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}", hint=again) from error
    if not isinstance(values, dict):
        raise ConfigurationError(f"{path} must hold a JSON object", hint=again)
    return {key: value.strip() for key, value in values.items() if isinstance(value, str)}
