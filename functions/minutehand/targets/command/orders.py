"""Orders: what an agent gets to run, with the values of the run and the secrets filled in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

from minutehand.domain.declaration import field
from minutehand.domain.declaration.field import Field, Pairs
from minutehand.domain.instants import SECOND
from minutehand.domain.job_key import JobKey
from minutehand.domain.template import Missing, TooLong, filled_text
from minutehand.targets.command.fields import CommandTarget, Stdin
from minutehand.targets.run_values import parent_document, value_in
from minutehand.usecases.ports.target import Call

LARGEST_ENVIRONMENT = 64 * 1024
"""Most characters of all names and values of `environment` once they are filled. Linux has room for some 2 MiB with the arguments, and
an agent gets up to ten orders in one answer."""
BEATS = 3
"""How many heartbeats an agent sends in the time in which one has to come, so that two may be lost."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HandlerOrder:
    """The handler of an order. It may hold secrets."""

    name: Annotated[str, Field("Its name in the agent's app.")]
    payload: Annotated[Any, Field("The run's payload: any JSON value.")] = None
    parents: Annotated[Any, Field("How the parents' runs ended, as in the body of a child's call.")] = ()

    def __repr__(self) -> str:
        """Its name alone, so that no message or log line can quote its payload."""
        return f"<the handler {self.name}>"


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """One attempt of a run, as the agent gets it that runs it. It holds secrets: it is sent, and neither stored nor logged."""

    job: Annotated[JobKey, Field("The job, as `namespace/name`.")]
    run_id: Annotated[str, Field("The run's id.")]
    attempt: Annotated[int, Field("Number of the attempt.")]
    attempts_left: Annotated[int, Field("How many attempts may follow if this one fails.")]
    takeovers: Annotated[int, Field("How often another agent may take the run over if this one falls silent.")]
    scheduled_for: Annotated[datetime, Field("The run's nominal instant.")]
    token: Annotated[str, Field("The attempt's token, for its heartbeats and its report.")]
    deadline: Annotated[datetime, Field("By when the attempt must be reported.")]
    timeout: Annotated[int, Field("Seconds from the start of the attempt to its deadline.")]
    heartbeat: Annotated[int, Field("Seconds after which the attempt is over if no heartbeat comes.")]
    heartbeat_every: Annotated[int, Field("Seconds between heartbeats, so that two may be lost.")]
    command: Annotated[
        str | tuple[str, ...] | None,
        Field("A text for the shell, or a program with its arguments, to be run as it is; null for a handler."),
    ]
    handler: Annotated[HandlerOrder | None, Field("What to run of the agent's app; null for a command.")]
    shell: Annotated[str | None, Field("Path of the shell that runs a text, with `-c`; null for a list.")]
    directory: Annotated[str | None, Field("Where to run it; null for the home directory of its user.")]
    environment: Annotated[
        Pairs, Field("Its variables, filled in; those of the run itself (MINUTEHAND_…) are not among them.")
    ]
    user: Annotated[str | None, Field("Who runs it; null for the agent's own user.")]
    stdin: Annotated[str | None, Field("What it reads from standard input; null for nothing.")]
    node_index: Annotated[
        int | None,
        Field("Of a run on several nodes, the place of this one among them, from 0; null for any other run."),
    ]
    node_total: Annotated[int | None, Field("Of a run on several nodes, how many they are; null for any other run.")]
    success_codes: Annotated[tuple[int, ...], Field("Exit codes that mean success.")]
    skipped_codes: Annotated[tuple[int, ...], Field("Exit codes that mean that there was nothing to do.")]

    def __repr__(self) -> str:
        """Which attempt it is of, so that no message or log line can quote its secrets."""
        return f"<order of attempt {self.attempt} of {self.job} {self.run_id}>"


class Unfilled(Exception):
    """A variable cannot be filled. Another attempt would end the same way.

    Attributes:
        type: that of the run's error.
    """

    def __init__(self, type_: str, message: str) -> None:
        super().__init__(message)
        self.type = type_


def order_of(target: CommandTarget, call: Call) -> Order:
    """The order of an attempt.

    Raises:
        Unfilled: if a value of `environment` names what this run does not have, or cannot be the value of a variable.
    """
    run, heartbeat = call.run, target.heartbeat // SECOND
    left = call.deadline - (run.started_at or run.starts_at)
    return Order(
        job=run.key.job,
        run_id=run.key.run_id,
        attempt=run.attempt,
        attempts_left=call.attempts_left,
        takeovers=call.takeovers_left,
        scheduled_for=run.scheduled_for,
        token=call.token,
        deadline=call.deadline,
        timeout=max(left, timedelta(0)) // SECOND,
        heartbeat=heartbeat,
        heartbeat_every=max(heartbeat // BEATS, 1),
        command=target.command,
        handler=_handler(target, call),
        shell=target.shell if target.in_shell else None,
        directory=target.directory,
        environment=tuple(_filled(target.environment, call)),
        user=target.user,
        stdin=_stdin(target, call),
        node_index=None if run.share is None else run.share.place,
        node_total=None if run.share is None else run.share.total,
        success_codes=target.success_codes,
        skipped_codes=target.skipped_codes,
    )


def _handler(target: CommandTarget, call: Call) -> HandlerOrder | None:
    if target.handler is None:
        return None
    parents = [parent_document(each) for each in call.parents]
    return HandlerOrder(name=target.handler, payload=call.payload, parents=parents)


def _stdin(target: CommandTarget, call: Call) -> str | None:
    if target.handler is not None or target.stdin is Stdin.NONE or call.payload is None:
        return None
    if isinstance(call.payload, str):
        return _as_utf8(call.payload)
    return _as_utf8(json.dumps(call.payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False))


def _filled(pairs: Pairs, call: Call) -> Iterator[tuple[str, str]]:
    left = LARGEST_ENVIRONMENT
    for name, value in pairs:
        path = f"target.environment.{name}"
        left -= len(name)
        try:
            text = _as_utf8(filled_text(value, lambda one: value_in(call, one), max(left, 0)))
        except (Missing, field.Refused) as error:
            raise Unfilled("UnresolvedTemplate", f"{path}: {error}") from None
        except TooLong:
            message = f"target.environment, once it is filled, is longer than {LARGEST_ENVIRONMENT:,} characters"
            raise Unfilled("InvalidRequest", message) from None
        if "\0" in text:  # the value is not named: it may be a secret
            raise Unfilled(
                "InvalidRequest", f"{path}, once it is filled, contains a NUL character, which no variable can"
            )
        left -= len(text)
        yield name, text


def _as_utf8(text: str) -> str:
    """A text that can be encoded: JSON may have halves of surrogate pairs."""
    return text.encode("utf-8", "replace").decode()
