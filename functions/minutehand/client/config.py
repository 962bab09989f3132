"""The API's address, and how requests prove who sends them: from the environment, else from the local stack's file."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from minutehand.client.errors import ConfigurationError

Auth = Literal["token", "iam"]
"""How requests prove who sends them: with a token or a JWT in their header, or with a signature of AWS IAM."""

LOCAL_FILE = Path(".minutehand") / "local.json"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The API's address and token; `origin` says where the address was found. The token is not in `repr`. With `auth` "iam", requests are
    signed instead, and no token is sent."""

    url: str
    token: str | None = field(repr=False)
    origin: str
    auth: Auth = "token"


def find_settings(environment: Mapping[str, str], directory: Path, *, needs_token: bool = True) -> Settings:
    """Read `MINUTEHAND_URL` and `MINUTEHAND_TOKEN`, else `.minutehand/local.json` in `directory` or a parent of it.

    With `MINUTEHAND_AUTH=iam`, requests to `MINUTEHAND_URL` are signed with AWS IAM. Nothing else makes that happen.

    `MINUTEHAND_TOKEN` may be combined with the file's address if that is on this machine: the file may come with a folder that
    somebody else made, and must not choose where a secret goes. `MINUTEHAND_URL` is never combined with the file's token: that would
    send one stack's secret to another.

    Raises ConfigurationError when both are missing, the file is unusable or another user's, or a required token is missing.
    """
    url = environment.get("MINUTEHAND_URL", "").strip()
    token = environment.get("MINUTEHAND_TOKEN", "").strip()
    auth = environment.get("MINUTEHAND_AUTH", "").strip() or "token"
    if auth not in ("token", "iam"):
        raise ConfigurationError(
            f"MINUTEHAND_AUTH is {auth!r}",
            hint="set it to iam, to sign requests with AWS IAM; or unset it, to send a token",
        )
    if auth == "iam":
        if not url:
            raise ConfigurationError(
                "MINUTEHAND_AUTH is iam, but MINUTEHAND_URL is not set",
                hint="set it to the stack's output IamApiUrl; or unset MINUTEHAND_AUTH, to send a token",
            )
        return Settings(url=url, token=None, origin="MINUTEHAND_URL", auth="iam")
    if url:
        if not token and needs_token:
            raise ConfigurationError(
                "MINUTEHAND_URL is set, but MINUTEHAND_TOKEN is not",
                hint="set MINUTEHAND_TOKEN to a token of that API, or unset MINUTEHAND_URL to use the local stack's file",
            )
        return Settings(url=url, token=token or None, origin="MINUTEHAND_URL")
    path = local_file(directory)
    if path is None:
        raise ConfigurationError(
            f"MINUTEHAND_URL is not set, and {directory} and its parents have no {LOCAL_FILE.as_posix()}",
            hint="run `make up` for a stack on this machine, or set MINUTEHAND_URL and MINUTEHAND_TOKEN",
        )
    values = _read(path)
    if token and values.get("url") and not is_loopback(values["url"]):
        raise ConfigurationError(
            f"MINUTEHAND_TOKEN is set, but MINUTEHAND_URL is not, and the address in {path} is not on this machine: {values['url']!r:.200}",
            hint="set MINUTEHAND_URL to the address of the API that gave the token, or unset MINUTEHAND_TOKEN to use that of the file",
        )
    token = token or values.get("token", "")
    if not token and needs_token:
        raise ConfigurationError(f"{path} has no token", hint="run `make up` again, or set MINUTEHAND_TOKEN")
    if not values.get("url"):
        raise ConfigurationError(f"{path} has no url", hint="run `make up` again, or set MINUTEHAND_URL")
    return Settings(url=values["url"], token=token or None, origin=str(path))


def local_file(directory: Path) -> Path | None:
    """The local stack's file in a folder or a parent of it; None without one."""
    return next((path for at in (directory, *directory.parents) if (path := at / LOCAL_FILE).is_file()), None)


def is_loopback(url: str) -> bool:
    """Whether an address is on this machine, so that nobody else receives what is sent to it."""
    try:
        return urlsplit(url).hostname in _LOOPBACK
    except ValueError:  # an address that cannot be read
        return False


def _read(path: Path) -> dict[str, str]:
    again = "run `make up` again to write it anew"
    try:
        if os.name == "posix" and path.stat().st_uid != os.getuid():
            raise ConfigurationError(
                f"{path} belongs to another user, so it is not used",
                hint="set MINUTEHAND_URL and MINUTEHAND_TOKEN, or run `make up` in a folder of yours",
            )
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}", hint=again) from error
    if not isinstance(values, dict):
        raise ConfigurationError(f"{path} must hold a JSON object", hint=again)
    return {key: value.strip() for key, value in values.items() if isinstance(value, str)}
