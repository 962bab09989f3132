"""The labels that say which crontab a job came from."""

import hashlib
import json
from collections.abc import Mapping

SOURCE = "crontab/source"
"""Which crontab: the name given with `--source`, else the file's own."""
LINE = "crontab/line"
"""Which line of it: what `line_id` answers."""
USER = "crontab/user"
"""As whom the command runs; only where it is known."""
MAILTO = "crontab/mailto"
"""The variable MAILTO above the line; only where a label can hold it."""

LONGEST_VALUE = 255
"""Characters of a label's value (docs/reference/api.md)."""


def line_id(*, user: str | None, command: str, stdin: str | None) -> str:
    """What makes a line the same line when its schedule is edited: 12 hex digits of what it runs."""
    return digest(user, command, stdin)[:12]


def digest(*parts: str | None) -> str:
    """SHA-256 of the parts, in hex; parts do not run into each other."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def is_from(labels: Mapping[str, str], source: str | None) -> bool:
    """Whether a job with these labels came from this crontab or from a file of this folder; None is any crontab."""
    its = labels.get(SOURCE)
    return its is not None and (source is None or its == source or its.startswith(f"{source}/"))
