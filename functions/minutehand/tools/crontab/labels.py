"""Job labels that record the crontab of origin."""

import hashlib
import json
from collections.abc import Mapping

SOURCE = "crontab/source"
"""The crontab: the name given with `--source`, else the file's name."""
LINE = "crontab/line"
"""The line: its `line_id_of`."""
USER = "crontab/user"
"""The command's user, if known."""
MAILTO = "crontab/mailto"
"""The variable MAILTO above the line, if a label can hold it."""

LONGEST_VALUE = 255
"""Maximum length of a label's value, in characters (docs/reference/api.md)."""


def digest(*parts: str | None) -> str:
    """SHA-256 of the delimited parts, in hex."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def is_from(labels: Mapping[str, str], source: str | None) -> bool:
    """Whether a job with these labels is from this crontab, or from a file of this folder; None is any crontab."""
    its = labels.get(SOURCE)
    return its is not None and (source is None or its == source or its.startswith(f"{source}/"))
