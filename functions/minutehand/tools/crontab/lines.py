"""One line of a crontab: a setting, or an entry of schedule, user, and command with its standard input.

A setting, `NAME = value`, is read as by Debian's load_env (crontab(5), env.c).

crontab(5): a `%` that no backslash escapes ends the command; the rest is its input, in which each further `%` is a new line. The
backslashes are those of Debian's do_command.c: in the command `\\%` is `%` and `\\\\` is `\\`; in the input only `\\%` is read.
"""

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple

from minutehand.schedule import Schedule, ScheduleError

DESCRIPTORS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
"""Shorthands that crontab(5) has for five fields."""
REBOOT = "@reboot"
"""In the place of a schedule: the start of the machine, which is no time. Only an agent there can notice it."""

_BLANK = r"[ \t\v\f\r]"
_SETTING = re.compile(
    rf"""{_BLANK}*
    (?: "(?P<double_name>[^"=]+)" | '(?P<single_name>[^'=]+)' | (?P<name>[^\s"'=#][^\s=]*) )
    {_BLANK}* = {_BLANK}*
    (?: "(?P<double>[^"]*)"{_BLANK}* | '(?P<single>[^']*)'{_BLANK}* | (?P<plain>[^\s"'].*) )""",
    re.VERBOSE,
)
_ATTEMPT = re.compile(rf"{_BLANK}*[\"']?[A-Za-z_]\w*[\"']?{_BLANK}*={_BLANK}*", re.ASCII)

_WORD = re.compile(r"[^ \t]+")
# Names of users. adduser(8) and useradd(8) are stricter; this still refuses the path of a command in a line without a user column.
_USER = re.compile(r"[A-Za-z_][A-Za-z0-9_.@+-]*\$?", re.ASCII)
_FIELD = re.compile(r"[0-9*][0-9*,/-]*", re.ASCII)
_OPTION = re.compile(r"-[a-z]+", re.ASCII)
_NAME = r"[A-Za-z]{3}"
_ITEM = rf"(\*|[0-9]+|{_NAME})(-([0-9]+|{_NAME}))?(/[0-9]+)?"
_TIMES = re.compile(rf"{_ITEM}(,{_ITEM})*", re.ASCII)
_COMMAND_AND_PERCENT = re.compile(r"((?:[^\\%]|\\.)*)%", re.DOTALL)
_ESCAPED = re.compile(r"\\([\\%])")
# Backslashes that need escaping. A backslash means itself only when it is alone and no `%` follows.
_NOT_THEMSELVES = re.compile(r"\\{2,}|\\(?=%)")
_IN_INPUT = re.compile(r"\\%|%")


class Setting(NamedTuple):
    """A line of a crontab that sets a variable for the lines below it; `column` is where its value starts, from 0."""

    name: str
    value: str
    column: int


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An entry of a crontab. `schedule`: its fields, joined by single spaces. `user`: None if the crontab has no user column.
    `stdin`: the command's input, if any."""

    schedule: str
    user: str | None
    command: str
    stdin: str | None


class LineFault(Exception):
    """A syntax error of a line: the 0-based `column`, the message and the hint."""

    def __init__(self, column: int, message: str, hint: str) -> None:
        super().__init__(message)
        self.column = column
        self.message = message
        self.hint = hint


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


def is_crontab_field(word: str) -> bool:
    """Whether a field is valid in crontab(5): numbers, names, ranges, steps and lists, but not L, W, #, ? or H."""
    return _TIMES.fullmatch(word) is not None


def read_entry(line: str, *, system: bool, guessed: bool, at_start: bool = False) -> Entry:
    """Parse a line that is neither a comment nor a setting. at_start: whether it may be one of @reboot. Raises LineFault."""
    words = [(found.start(), found[0]) for found in _WORD.finditer(line)]
    column, head = words[0]
    if head.startswith("@"):
        schedule, rest = _descriptor(column, head, at_start=at_start), words[1:]
    else:
        schedule, rest = _five_fields(words, line), words[5:]
    user = None
    if system:
        user = _user(rest, line)
        rest = rest[1:]
    if not rest:
        raise LineFault(len(line.rstrip()), "there is no command", _form(system=system))
    column, first = rest[0]
    if not system and guessed and first == "root" and len(rest) > 1:
        raise LineFault(
            column,
            "root looks like a user, not like a command",
            "add --system if the file has a user column, else --no-system",
        )
    if _FIELD.fullmatch(first):
        raise LineFault(
            column, f"{first!r:.40} looks like a sixth field", "a crontab has five, without seconds or years"
        )
    if _OPTION.fullmatch(first):
        raise LineFault(column, f"{first} before a command is an option of other crons", "leave it out")
    command, stdin = split_command(line[column:])
    if not command:
        raise LineFault(column, "the command before the % is empty", "a % that belongs to the command is written \\%")
    return Entry(schedule=schedule, user=user, command=command, stdin=stdin)


def _descriptor(column: int, name: str, *, at_start: bool) -> str:
    if name in DESCRIPTORS or (name == REBOOT and at_start):
        return name
    if name == REBOOT:
        raise LineFault(
            column,
            "@reboot has no meaning here: no machine starts",
            "name times, or import with --pool, so that an agent runs it when its machine starts",
        )
    if name in ("@every", "@after", "@manual"):
        hint = "write five fields, such as */5 * * * *, or save the job with `minutehand apply`"
        raise LineFault(column, f"{name} is not valid in crontab(5)", hint)
    close = get_close_matches(name[:40].lower(), DESCRIPTORS, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(DESCRIPTORS)}"
    raise LineFault(column, f"there is no {name!r:.40} in a crontab", hint)


def _five_fields(words: list[tuple[int, str]], line: str) -> str:
    column, head = words[0]
    if len(head) > 1 and head.startswith("-"):
        raise LineFault(
            column, "a - before the minute (\"do not log\") is valid in SUSE's cron, not in Debian's", "leave it out"
        )
    if len(words) < 5:
        raise LineFault(
            len(line.rstrip()),
            f"a line needs five fields and a command, or is a variable (NAME=value); this one has {len(words)} "
            f"word{'s' if len(words) > 1 else ''}",
            "the fields are minute, hour, day-of-month, month and day-of-week",
        )
    fields = words[:5]
    schedule = " ".join(word for _, word in fields)
    try:
        Schedule.parse(schedule, "UTC", "vixie", name="crontab/line")
    except ScheduleError as error:
        raise LineFault(_place(fields, error.column), f"{error.field}: {error.message}", error.hint) from error
    for at, word in fields:
        if not is_crontab_field(word):
            raise LineFault(at, f"{word:.40} is not valid in crontab(5)", "save such a job with `minutehand apply`")
    return schedule


def _place(fields: list[tuple[int, str]], column: int | None) -> int:
    """The column in a crontab line for a column in its schedule, in which single spaces join the fields."""
    start = 0
    for at, word in fields:
        if column is None or column <= start + len(word):
            return at + max((column or 0) - start, 0)
        start += len(word) + 1
    return fields[-1][0]


def _user(rest: list[tuple[int, str]], line: str) -> str:
    if not rest:
        raise LineFault(len(line.rstrip()), "the user and the command are missing", _form(system=True))
    column, user = rest[0]
    if not _USER.fullmatch(user):
        hint = "the column before the command is the user; a user's crontab has no such column (--no-system)"
        raise LineFault(column, f"{user!r:.40} is no user", hint)
    return user


def _form(*, system: bool) -> str:
    return f"write the five fields{', the user' if system else ''} and the command"


def split_command(text: str) -> tuple[str, str | None]:
    """Split a crontab's command at its first unescaped `%` into the command and its input. The input ends with a line end unless
    it is empty; it is None without a `%`."""
    found = _COMMAND_AND_PERCENT.match(text)
    before = found[1] if found else text
    kept = before.rstrip(" \t")
    # A backslash at the end escapes the first of the spaces behind it.
    command = _ESCAPED.sub(r"\1", before if kept.endswith("\\") else kept)
    if found is None:
        return command, None
    stdin = _IN_INPUT.sub(lambda each: "\n" if each[0] == "%" else "%", text[found.end() :])
    return command, stdin if not stdin or stdin.endswith("\n") else f"{stdin}\n"


def join_command(command: str, stdin: str | None) -> str:
    """The text that `split_command` splits into this command and input, if there is such a text."""
    if stdin is None:
        return _escaped(command, then="")
    lines = stdin.removesuffix("\n")
    if not lines or lines.endswith("\n"):
        lines = stdin
    given = lines.replace("%", "\\%").replace("\n", "%")
    return f"{_escaped(command, then='%')}%{given}"


def _escaped(command: str, *, then: str) -> str:
    """A command as a crontab line has it: with `%` escaped, and backslashes where they would not mean themselves."""
    text = _NOT_THEMSELVES.sub(lambda found: found[0] * 2, f"{command}{then}")
    return text.removesuffix(then).replace("%", "\\%")
