"""Where the API is, and who is asking: from the environment, else from the local stack's own file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from minutehand.client.errors import ConfigurationError

LOCAL_FILE = Path(".minutehand") / "local.json"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """An address, a token and, for messages, where the address was found. The token stays out of `repr`."""

    url: str
    token: str | None = field(repr=False)
    origin: str


def find_settings(environment: Mapping[str, str], directory: Path, *, needs_token: bool = True) -> Settings:
    """Read `MINUTEHAND_URL` and `MINUTEHAND_TOKEN`, else `.minutehand/local.json` in `directory` or a parent of it.

    `MINUTEHAND_TOKEN` alone goes with the file's address. `MINUTEHAND_URL` alone never goes with the file's token: that would
    hand a secret of one stack to another.

    Raises ConfigurationError: neither is there, the file cannot be used, or the token is missing though `needs_token`.
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
    path = _local_file(directory)
    if path is None:
        raise ConfigurationError(
            f"there is neither MINUTEHAND_URL nor a {LOCAL_FILE.as_posix()} in {directory} or above it",
            hint="run `make up` for a stack on this machine, or set MINUTEHAND_URL and MINUTEHAND_TOKEN",
        )
    values = _read(path)
    token = token or values.get("token", "")
    if not token and needs_token:
        raise ConfigurationError(f"{path} holds no token", hint="run `make up` again, or set MINUTEHAND_TOKEN")
    if not values.get("url"):
        raise ConfigurationError(f"{path} holds no url", hint="run `make up` again, or set MINUTEHAND_URL")
    return Settings(url=values["url"], token=token or None, origin=str(path))


def _local_file(directory: Path) -> Path | None:
    return next((path for at in (directory, *directory.parents) if (path := at / LOCAL_FILE).is_file()), None)


def _read(path: Path) -> dict[str, str]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"{path} cannot be read: {error}", hint="run `make up` again to write it anew"
        ) from error
    if not isinstance(values, dict):
        raise ConfigurationError(f"{path} must hold a JSON object", hint="run `make up` again to write it anew")
    return {key: value.strip() for key, value in values.items() if isinstance(value, str)}
