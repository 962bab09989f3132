"""What is wrong with a target of type `command` that is being saved."""

from __future__ import annotations

import re
from collections.abc import Iterator

from minutehand.domain.errors import FieldProblem
from minutehand.domain.spread import EVERY_NODE
from minutehand.targets.command.fields import SHELL, CommandTarget, Stdin
from minutehand.targets.run_values import NAMES

_PLACEHOLDER = re.compile(rf"{{{{\s*(?:secret:|(?:{'|'.join(NAMES)})\s*(?:}}}}|[.\[])).*?(?:}}}}|$)", re.DOTALL)
"""A placeholder of a run's value or a secret. Programs have templates of their own, such as `docker ps --format '{{.Names}}'`."""


def check(target: CommandTarget) -> Iterator[FieldProblem]:
    """Find what contradicts itself in a target whose fields are each valid, and values of a run in the command itself."""
    yield from _placeholders(target)
    if target.node is not None and target.tags:
        yield FieldProblem(
            "target.tags",
            f"target.node names one node, {target.node}, whatever its tags",
            "leave one of the two out: name the node, or the tags that a node must have",
        )
    yield from _several_nodes(target)
    if target.handler is not None:
        yield from _beside_handler(target)
        return
    if target.command is None:
        yield FieldProblem(
            "target.command",
            "this is required",
            'write what to run, such as "backup --all", or ["backup", "--all"] without a shell; or name a Python handler in '
            "target.handler",
        )
        return
    if target.shell != SHELL and not target.in_shell:
        yield FieldProblem(
            "target.shell",
            "a list is run as it is, without a shell",
            f"leave it out, or write target.command as one text, or begin the list with {target.shell}",
        )
    if not target.success_codes:
        yield FieldProblem("target.success_codes", "no exit code could be a success", "leave it out to expect 0")
    for code in sorted({*target.success_codes} & {*target.skipped_codes}):
        yield FieldProblem(
            "target.skipped_codes",
            f"{code} is also one of target.success_codes: a run with this exit code could not be both",
            f"remove {code} from one of the two",
        )


def _several_nodes(target: CommandTarget) -> Iterator[FieldProblem]:
    """What contradicts `count`: one node that is named, and bounds that no number of nodes meets."""
    count = target.count
    if count not in (None, "1") and target.node is not None:
        yield FieldProblem(
            "target.count",
            f"target.node names one node, {target.node}, and no others",
            "leave one of the two out: name the node, or say on how many the command runs",
        )
    for name, given in (("min_success", target.min_success), ("max_parallel", target.max_parallel)):
        if given is None:
            continue
        if count is None:
            yield FieldProblem(
                f"target.{name}",
                "the command runs on one node",
                "leave it out, or say on how many nodes it runs: target.count, such as all",
            )
        elif count != EVERY_NODE and given > int(count):
            yield FieldProblem(
                f"target.{name}",
                f"{given} is more than target.count, which is {count}",
                f"give 1 to {count}, or leave it out for all of them",
            )


def _beside_handler(target: CommandTarget) -> Iterator[FieldProblem]:
    """What a target says of a command although it has a handler."""
    if target.command is not None:
        yield FieldProblem(
            "target.handler",
            "a run is a command or a handler, not both",
            "leave one of the two out: target.command or target.handler",
        )
    of_commands = {
        "shell": (target.shell != SHELL, "no shell runs it"),
        "stdin": (target.stdin is not Stdin.PAYLOAD, "its payload gives its arguments"),
        "success_codes": (target.success_codes != (0,), "it succeeds when it returns"),
        "skipped_codes": (bool(target.skipped_codes), "it succeeds when it returns"),
    }
    for name, (given, why) in of_commands.items():
        if given and target.command is None:
            yield FieldProblem(
                f"target.{name}", f"this is for commands, and the run is a handler: {why}", "leave it out"
            )


def _placeholders(target: CommandTarget) -> Iterator[FieldProblem]:
    command = target.command
    if command is None:
        return
    texts = [("", command)] if isinstance(command, str) else [(f"[{n}]", text) for n, text in enumerate(command)]
    use = 'use it as "$VALUE"' if target.in_shell else "let the program read the variable"
    for place, text in texts:
        if found := _PLACEHOLDER.search(text):
            yield FieldProblem(
                f"target.command{place}",
                f"{found[0]:.60} is not filled in here: a command is no template, so that no value can become a part of the program",
                f'name the value in target.environment, such as {{"VALUE": "{found[0]:.60}"}}, and {use}',
                found.start(),
            )
