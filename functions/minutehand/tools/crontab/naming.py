"""A readable name for a job, from the command that it runs."""

import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import groupby

_READ = 1000
"""Maximum length of a command, in characters, as in Debian's cron (MAX_COMMAND)."""
LONGEST = 100
"""Maximum length of a name without its hash; with it, at most 128 characters (docs/reference/api.md)."""

_ENDS = frozenset({"&&", "||", ";", ";;", "|", "|&", "&", "(", ")", "{", "}"})
_KEYWORDS = frozenset({"if", "then", "else", "elif", "while", "until", "do", "!"})
_NOT_THE_POINT = frozenset(
    {"cd", "command", "export", "set", "sleep", "ulimit", "umask", "which"}  # they prepare for the program
    | {"test", "[", "[[", "true", "exit", "fi", "done"}  # they test conditions, or end a block
)
# Programs that run another one; of each, the options that take a value, and how many words come before the other program.
_WRAPPERS: Mapping[str, tuple[str, int]] = {
    "chronic": ("", 0),
    "env": ("uC", 0),
    "exec": ("a", 0),
    "flock": ("wE", 1),
    "ionice": ("cnp", 0),
    "nice": ("n", 0),
    "nohup": ("", 0),
    "sudo": ("ugh", 0),
    "time": ("fo", 0),
    "timeout": ("ks", 1),
}
# Programs that run the script that follows them.
_INTERPRETER = re.compile(r"(ba|da|z|k|c)?sh|python[0-9.]*|perl[0-9.]*|ruby[0-9.]*|php[0-9.]*|node|run-parts")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=", re.ASCII)


def name_of(command: str) -> str:
    """The program's name in the letters of a job's name: `/usr/bin/backup.sh --full` becomes `backup.sh`.

    A readable guess, not a shell parser: it skips preparation (`cd`, tests, variables), wrappers (`nice`, `flock`, `sudo`) and
    interpreters.
    """
    for is_end, part in groupby(_words(command[:_READ]), key=_ENDS.__contains__):
        program = "" if is_end else _program(list(part))
        if program and program not in _NOT_THE_POINT:
            letters = re.sub(r"[^a-z0-9._-]+", "-", program.lower(), flags=re.ASCII)
            return letters.strip("-._")[:LONGEST] or "command"
    return "command"


def _words(command: str) -> Sequence[str]:
    try:
        lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        lexer.commenters = ""
        return list(lexer)
    except ValueError:  # a quote that is not closed: the shell will complain, not we
        return command.split()


def _program(part: list[str]) -> str:
    """The file name of the program that one part of a shell command runs; empty if it runs none."""
    name = ""
    while part:
        word, part = part[0], part[1:]
        name = word.rstrip("/").rpartition("/")[2]
        if word in _KEYWORDS or _ASSIGNMENT.match(word):
            name = ""
        elif name in _WRAPPERS:
            part = _wrapped(part, *_WRAPPERS[name])
        else:
            return (_script(part) if _INTERPRETER.fullmatch(name) else "") or name
    return name


def _wrapped(words: list[str], with_value: str, before: int) -> list[str]:
    """The words after a wrapper such as `nice` and its own arguments: the program that it runs, with that program's arguments."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        takes_next = len(words[at]) == 2 and words[at][1] in with_value
        at += 2 if takes_next else 1
    return words[at + before :]


def _script(words: list[str]) -> str:
    """The name of the script that an interpreter is given; empty if it is given inline code (`-c`) or nothing."""
    for place, word in enumerate(words):
        if word in ("-c", "-e", "-r"):
            return ""
        if word == "-m":
            return "".join(words[place + 1 : place + 2])
        if not word.startswith("-"):
            return word.rstrip("/").rpartition("/")[2]
    return ""
