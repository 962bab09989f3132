"""Names for jobs, from names in the old system: safe, readable, and the same at each import."""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence

from minutehand.domain.declaration.checks import NAME

_LONGEST = 110
"""Most characters of a name without its hash; with it, at most 128."""
_HASH = 6


def is_name(text: str) -> bool:
    """Whether a namespace or a job may have this name."""
    return NAME.fullmatch(text) is not None


def safe_name(text: str) -> str:
    """A text in the letters of a job's name; empty if it has none of them."""
    letters = re.sub(r"[^a-z0-9._-]+", "-", text.lower(), flags=re.ASCII)
    return letters.strip("-._")[:_LONGEST].rstrip("-._")


def unique_names(wanted: Sequence[tuple[str, str]]) -> list[str]:
    """Unique names for entries, each given as its wanted name and its identity.

    If several want the same name, each gets a hash of its identity at the end, and if they also have the same identity, its number.
    """
    often = Counter(name for name, _ in wanted)
    taken = {name for name, times in often.items() if times == 1}
    seen: Counter[str] = Counter()
    names = []
    for name, identity in wanted:
        given = name
        while given != name or often[name] > 1:
            seen[identity] += 1
            given = f"{name}-{_digest(identity, str(seen[identity]))}"
            if given not in taken:
                break
        taken.add(given)
        names.append(given)
    return names


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
