"""An order: what an agent gets to run, read from the API's answer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

SHELL = "/bin/sh"
"""The shell of a text that names none."""
_MOST = 2**53
"""Whole numbers beyond this are none in JSON's usual readers, and more seconds than any command has."""
_SECRET = ("token", "environment", "stdin", "handler")
"""Fields whose values no message quotes."""


class UnreadableOrder(Exception):
    """The order of an API of another version. The message says which field cannot be read."""


class Key(NamedTuple):
    """Names one attempt of a run. `job` is its full name."""

    job: str
    run_id: str
    attempt: int


class HandlerCall(NamedTuple):
    """A handler of the agent's app. `payload` and `parents` are JSON values, as in an invocation."""

    name: str
    payload: Any = None
    parents: Any = None


@dataclass(frozen=True, kw_only=True)
class Order:
    """What to run for one attempt. Its secrets are not in `repr`.

    Attributes:
        deadline: when the attempt times out, as RFC 3339.
        timeout: seconds from the start of the attempt to that.
        heartbeat: seconds without a heartbeat after which the run is taken over, or lost.
        command: a text for `shell`, or a list of arguments; None for a handler.
        handler: what to run of the agent's app; None for a command.
        directory: an absolute path; None for the user's home.
        user: a name; None for the first that the agent's rules allow.
        stdin: the standard input; None for none.
        takeovers: how often another agent may take the run over.
    """

    key: Key
    timeout: float
    heartbeat: float
    command: str | tuple[str, ...] | None = None
    attempts_left: int = 0
    scheduled_for: str = ""
    deadline: str = ""
    takeovers: int = 1
    shell: str = SHELL
    directory: str | None = None
    user: str | None = None
    node_index: int | None = None
    node_total: int | None = None
    success_codes: frozenset[int] = frozenset((0,))
    skipped_codes: frozenset[int] = frozenset()
    token: str = field(repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    stdin: str | None = field(default=None, repr=False)
    handler: HandlerCall | None = field(default=None, repr=False)

    @property
    def arguments(self) -> tuple[str, ...]:
        """What is executed: the arguments, or the shell with its text; nothing for a handler."""
        return (self.shell, "-c", self.command) if isinstance(self.command, str) else self.command or ()

    @property
    def input(self) -> str:
        """What the process reads: its standard input; of a handler, the invocation."""
        return self.stdin or "" if self.handler is None else json.dumps(self._invocation(self.handler))

    @property
    def shown(self) -> str:
        """What is run, in one text for logs."""
        if self.handler is not None:
            return f"handler {self.handler.name}"
        return self.command if isinstance(self.command, str) else " ".join(self.arguments)

    def _invocation(self, handler: HandlerCall) -> dict[str, Any]:
        """The run as a document, as a target of type `lambda` sends it; see docs/reference/handlers.md."""
        about = {"scheduled_for": self.scheduled_for or None, "deadline": self.deadline or None}
        return {
            **self.key._asdict(),
            "attempts_left": self.attempts_left,
            **{name: text for name, text in about.items() if text is not None},
            "handler": handler.name,
            "payload": handler.payload,
            "parents": handler.parents or [],
        }


def token_in(document: Mapping[str, Any]) -> str:
    """The token of an order, also of one that cannot be read otherwise; empty if it has none."""
    token = document.get("token")
    return token if isinstance(token, str) else ""


def read_order(document: Mapping[str, Any]) -> Order:
    """The order in a document. Unknown fields are ignored.

    Raises:
        UnreadableOrder: if a field is missing or of the wrong kind.
    """
    fields = _Fields(document)
    command, handler = document.get("command"), fields.handler()
    return Order(
        key=Key(fields.text("job"), fields.text("run_id"), fields.whole("attempt")),
        attempts_left=fields.whole("attempts_left", 0),
        scheduled_for=fields.text("scheduled_for", ""),
        deadline=fields.text("deadline", ""),
        timeout=float(max(0, fields.whole("timeout"))),
        heartbeat=float(max(1, fields.whole("heartbeat"))),
        takeovers=fields.whole("takeovers", 1),
        command=command if isinstance(command, str) else None if handler else fields.texts("command"),
        handler=handler,
        shell=fields.optional("shell") or SHELL,
        directory=fields.optional("directory"),
        user=fields.optional("user"),
        node_index=fields.optional_whole("node_index"),
        node_total=fields.optional_whole("node_total"),
        success_codes=fields.codes("success_codes", (0,)),
        skipped_codes=fields.codes("skipped_codes", ()),
        token=fields.text("token"),
        environment=fields.pairs("environment"),
        stdin=fields.optional("stdin"),
    )


class _Fields:
    """The fields of a document, each checked when it is read. Each method raises UnreadableOrder."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document

    def text(self, name: str, default: str | None = None) -> str:
        value = self._value(name, default)
        return value if isinstance(value, str) else self._wrong(name, "a text")

    def optional(self, name: str) -> str | None:
        return self.text(name) if self._document.get(name) is not None else None

    def optional_whole(self, name: str) -> int | None:
        return self.whole(name) if self._document.get(name) is not None else None

    def whole(self, name: str, default: int | None = None) -> int:
        value = self._value(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= _MOST:
            self._wrong(name, "a whole number")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self._value(name)
        good = isinstance(value, list) and value and all(isinstance(each, str) for each in value)
        return tuple(value if good else self._wrong(name, "a text or a list of texts"))

    def codes(self, name: str, default: tuple[int, ...]) -> frozenset[int]:
        value = self._value(name, list(default))
        good = isinstance(value, list) and all(isinstance(each, int) for each in value)
        return frozenset(value if good else self._wrong(name, "a list of exit codes"))

    def pairs(self, name: str) -> dict[str, str]:
        value = self._value(name, {})
        good = isinstance(value, dict) and all(isinstance(each, str) for each in value.values())
        return dict(value if good else self._wrong(name, "names with texts"))

    def handler(self) -> HandlerCall | None:
        value = self._value("handler")
        if value is None:
            return None
        if not isinstance(value, dict) or not isinstance(value.get("name"), str):
            self._wrong("handler", "a handler with its name")
        return HandlerCall(value["name"], value.get("payload"), value.get("parents"))

    def _value(self, name: str, default: Any = None) -> Any:
        value = self._document.get(name)
        return default if value is None else value

    def _wrong(self, name: str, wanted: str) -> NoReturn:
        value = self._document.get(name)
        hidden = name in _SECRET or (isinstance(value, int) and abs(value) >= _MOST)
        shown = "something else" if hidden else repr(value)  # Python writes no number of thousands of digits
        raise UnreadableOrder(f"{name} of the order is {shown:.60}, not {wanted}")
