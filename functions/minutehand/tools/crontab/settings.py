"""Environment lines, `NAME = value`, as Debian's load_env reads them (crontab(5), env.c)."""

import re
from typing import NamedTuple

from minutehand.tools.crontab.fields import LineFault

_BLANK = r"[ \t\v\f\r]"
_SETTING = re.compile(
    rf"""{_BLANK}*
    (?: "(?P<double_name>[^"=]+)" | '(?P<single_name>[^'=]+)' | (?P<name>[^\s"'=#][^\s=]*) )
    {_BLANK}* = {_BLANK}*
    (?: "(?P<double>[^"]*)"{_BLANK}* | '(?P<single>[^']*)'{_BLANK}* | (?P<plain>[^\s"'].*) )""",
    re.VERBOSE,
)
_ATTEMPT = re.compile(rf"{_BLANK}*[\"']?[A-Za-z_]\w*[\"']?{_BLANK}*={_BLANK}*", re.ASCII)


class Setting(NamedTuple):
    """A variable for the lines below; `column` is the start of its value."""

    name: str
    value: str
    column: int


def read_setting(line: str) -> Setting | None:
    """Parse a setting; None for another line. Trailing spaces are dropped unless quoted."""
    found = _SETTING.fullmatch(line)
    if found is None:
        return None
    name = found["double_name"] or found["single_name"] or found["name"]
    kind = next(kind for kind in ("double", "single", "plain") if found[kind] is not None)
    value = found[kind].rstrip() if kind == "plain" else found[kind]
    return Setting(name, value, found.start(kind))


def setting_fault(line: str) -> LineFault | None:
    """The error of a malformed setting; None for another line."""
    attempt = _ATTEMPT.match(line)
    if attempt is None or read_setting(line) is not None:
        return None
    at = attempt.end()
    quote = line[at : at + 1]
    if not quote:
        hint = f'an empty value needs quotes: {line.split("=", maxsplit=1)[0].strip()}=""'
        return LineFault(at, "this variable has no value", hint)
    end = line.find(quote, at + 1)
    if end < 0:
        return LineFault(at, f"the quote {quote} is not closed", f"end the value with {quote}")
    rest = len(line) - len(line[end + 1 :].lstrip())
    return LineFault(rest, "text follows the closing quote", "quote the whole value, or remove the quotes")


def write_setting(name: str, value: str) -> str:
    """The line of a variable; `read_setting` restores it if a line can express it."""
    plain = bool(value) and value == value.strip() and value[0] not in "\"'"
    quote = "" if plain else "'" if '"' in value else '"'
    return f"{name}={quote}{value}{quote}"
