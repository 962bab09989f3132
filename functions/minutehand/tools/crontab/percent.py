"""The sixth field: a command, and after its first `%` its standard input.

crontab(5): a `%` that no backslash escapes ends the command; the rest is its input, in which each further `%` is a new line. The
backslashes are those of Debian's do_command.c: in the command `\\%` is `%` and `\\\\` is `\\`; in the input only `\\%` is read.
"""

import re

BACKSLASH, NEW_LINE = "\\", "\n"
_ESCAPED = re.compile(r"\\([\\%])")
_RUN = re.compile(r"\\+")
_IN_INPUT = re.compile(r"\\%|%")


def split_command(text: str) -> tuple[str, str | None]:
    """The command and its input, which ends with a line end unless empty; None without a `%`."""
    end = _first_percent(text)
    command = _ESCAPED.sub(r"\1", _trimmed(text if end is None else text[:end]))
    if end is None:
        return command, None
    stdin = _IN_INPUT.sub(lambda found: "\n" if found[0] == "%" else "%", text[end + 1 :])
    return command, stdin if not stdin or stdin.endswith("\n") else f"{stdin}\n"


def join_command(command: str, stdin: str | None) -> str:
    """The inverse of `split_command`, where one exists."""
    if stdin is None:
        return _escaped(command, then="")
    lines = stdin.removesuffix("\n")
    if not lines or lines.endswith("\n"):
        lines = stdin
    return f"{_escaped(command, then='%')}%{lines.replace('%', BACKSLASH + '%').replace(NEW_LINE, '%')}"


def _first_percent(text: str) -> int | None:
    escaped = False
    for place, character in enumerate(text):
        if character == "%" and not escaped:
            return place
        escaped = character == "\\" and not escaped
    return None


def _trimmed(text: str) -> str:
    """The command without trailing spaces, unless a backslash escapes the first of them."""
    kept = text.rstrip(" \t")
    return text if kept.endswith("\\") else kept


def _escaped(command: str, *, then: str) -> str:
    """The command with `%` escaped, and the backslashes before it."""
    text = f"{command}{then}"

    def written(found: re.Match[str]) -> str:
        means_itself = len(found[0]) == 1 and text[found.end() : found.end() + 1] != "%"
        return found[0] if means_itself else found[0] * 2

    return _RUN.sub(written, command).replace("%", BACKSLASH + "%")
