"""A time zone in words: the city of its IANA name."""

import re

_UTC = frozenset({"UTC", "UCT", "Zulu", "Universal", "Greenwich", "GMT", "GMT0", "GMT+0", "GMT-0"})  # also as Etc/…
_FIXED = re.compile(r"Etc/GMT([+-])(\d+)")
_CONTINENTS = frozenset(
    {"Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"}
)


def zone_words(name: str) -> str:
    """`New York time`, `Knox (Indiana) time`, `US Eastern time`, `UTC`, `UTC-05:00`."""
    first, *rest = name.split("/")
    if (rest[0] if first == "Etc" else name) in _UTC:
        return "UTC"
    fixed = _FIXED.fullmatch(name)
    if fixed:
        # In Etc/GMT names, as in POSIX, west of Greenwich is positive.
        return f"UTC{'-' if fixed[1] == '+' else '+'}{int(fixed[2]):02}:00"
    if first not in _CONTINENTS:
        words = [first, *rest]
    elif len(rest) == 2 and rest[0] != "Argentina":
        words = [rest[1], f"({rest[0]})"]
    else:
        words = rest[-1:]
    return f"{' '.join(words).replace('_', ' ')} time"
