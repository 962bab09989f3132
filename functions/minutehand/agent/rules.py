"""The rules of an agent: what its configuration lets jobs run on this machine, whoever saves them."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from string import ascii_letters, digits

from minutehand.agent.order import SHELL, Order

_IN_WORD = frozenset(f"{ascii_letters}{digits}_@%+=:,./-")
"""Characters that mean nothing to a shell. A wildcard stands for no others, so that no value becomes a second command."""
_WILDCARDS: Mapping[str, frozenset[str]] = {"*": _IN_WORD, "**": _IN_WORD | {" "}}


class CommandPattern:
    """A command that jobs may run. `*` stands for a part of one word, `**` also for several words; neither for `..`, nor for a character
    with a meaning in shells. A list of arguments is compared as it would be typed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._parts = [part for part in re.split(r"(\*\*|\*)", text) if part]

    def __repr__(self) -> str:
        return f"CommandPattern({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CommandPattern) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def allows(self, command: str | tuple[str, ...]) -> bool:
        """Whether a text, or a list of arguments, is this command. The time it takes is linear in the length of the command, which is
        not the agent's choice."""
        text = command if isinstance(command, str) else shlex.join(command)
        if _pairs_of_dots(text) != _pairs_of_dots(self.text):
            return False  # a dot of the pattern and one of a wildcard would make `..`, too
        ends = [0]  # how many characters of the text the parts so far may cover, in ascending order
        for part in self._parts:
            ends = (
                list(_extended(text, ends, _WILDCARDS[part]))
                if part in _WILDCARDS
                else [end + len(part) for end in ends if text.startswith(part, end)]
            )
        return len(text) in ends


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What jobs may have an agent run. None: anything.

    Attributes:
        users: names; a command whose job names none runs as the first.
        directories: absolute paths; commands run in these and below, or in the home of their user. Empty: only there.
        commands: patterns of texts and of lists of arguments.
        environment: names of variables that jobs may set, with `*` for any part.
        handlers: names of handlers of its app, with `*` for any part.
        shells: absolute paths of programs that may run texts; empty: no texts.
    """

    users: tuple[str, ...]
    directories: tuple[str, ...] | None = None
    commands: tuple[CommandPattern, ...] | None = None
    environment: tuple[str, ...] | None = None
    handlers: tuple[str, ...] | None = None
    shells: tuple[str, ...] | None = None

    def user_of(self, order: Order) -> str:
        """The name of the user as which a command runs."""
        return order.user or self.users[0]

    def refusal(self, order: Order) -> str | None:
        """Why an order is refused wherever it runs, with the rule; None if it is not."""
        user = self.user_of(order)
        if user not in self.users:
            return f"users: this agent runs commands as {_listed(self.users)}, not as {user}"
        return self._refused_program(order) or self._refused_name(order)

    def refused_place(self, order: Order, directory: str, home: str) -> str | None:
        """Why an order may not run in a directory; None if it may. A user's home is always allowed.

        Args:
            directory: that of the order, without symbolic links.
            home: that of the user as which it runs.
        """
        if self.directories is None or order.directory in (None, home):
            return None
        if any(PurePosixPath(directory).is_relative_to(each) for each in self.directories):
            return None
        allowed = f"{_listed(self.directories)} and below" if self.directories else "the home directory of their user"
        refused = (  # not where it leads: whoever saved the job may not know that
            f"not in {order.directory}" if order.directory == directory else f"and {order.directory} leads elsewhere"
        )
        return f"directories: this agent runs commands in {allowed}, {refused}"

    def _refused_program(self, order: Order) -> str | None:
        if order.handler is not None:
            return self._refused_handler(order.handler.name)
        if isinstance(order.command, str) and self.commands != ():
            if self.shells is not None and order.shell not in self.shells:
                allowed = (
                    f"this agent runs texts by {_listed(self.shells)}, not by {order.shell}"
                    if self.shells
                    else "this agent runs no texts by a shell; write the command as a list of arguments"
                )
                return f"shell: {allowed}"
        command = order.command or ""
        if self.commands is not None and not any(each.allows(command) for each in self.commands):
            allowed = f"{_listed(each.text for each in self.commands)}, and nothing else"
            return f"commands: this agent runs {allowed if self.commands else 'handlers of its app alone'}"
        return None

    def _refused_handler(self, name: str) -> str | None:
        if self.handlers is None or any(_name_matches(name, each) for each in self.handlers):
            return None
        return f"handlers: this agent runs {_listed(self.handlers)}, not {name:.60}"

    def _refused_name(self, order: Order) -> str | None:
        for name in order.environment:
            if not name or "=" in name or "\0" in name:
                return f"environment: {name!r:.60} cannot be the name of a variable"
            if self.environment is not None and not any(_name_matches(name, each) for each in self.environment):
                allowed = _listed(self.environment) or "no variable"
                return f"environment: this agent lets jobs set {allowed}, not {name:.60}"
        return None


def default_rules(user: str) -> Rules:
    """Those of an agent without a configuration: any command in any place, as its own user alone."""
    return Rules(users=(user,))


def with_commands(commands: tuple[CommandPattern, ...], rules: Rules) -> Rules:
    """The rules with commands that jobs may run. What would let a job run others by them is then forbidden unless it is allowed by name."""
    return Rules(
        users=rules.users,
        # In another place, `./report` is another program.
        directories=() if rules.directories is None else rules.directories,
        commands=commands,
        handlers=rules.handlers,
        environment=() if rules.environment is None else rules.environment,
        shells=(SHELL,) if rules.shells is None else rules.shells,
    )


def _extended(text: str, ends: Iterable[int], characters: frozenset[str]) -> Iterator[int]:
    """The ends that a wildcard makes of these, in ascending order."""
    following = 0
    for end in ends:
        if end < following:
            continue
        following = end
        yield following
        while text[following : following + 1] in characters:
            following += 1
            yield following
        following += 1


def _pairs_of_dots(text: str) -> int:
    return len(re.findall(r"\.(?=\.)", text))


def _name_matches(name: str, pattern: str) -> bool:
    return bool(re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name))


def _listed(names: Iterable[str], most: int = 5) -> str:
    all_of = list(names)
    more = f" and {len(all_of) - most} more" if len(all_of) > most else ""
    return ", ".join(all_of[:most]) + more
