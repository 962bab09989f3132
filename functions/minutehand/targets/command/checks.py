"""What is wrong with a target of type `command` that is being saved."""

from __future__ import annotations

import re
from collections.abc import Iterator

from minutehand.domain.errors import FieldProblem
from minutehand.domain.spread import EVERY_NODE
from minutehand.targets.command.fields import SHELL, CommandTarget
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


def _placeholders(target: CommandTarget) -> Iterator[FieldProblem]:
    command = target.command
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
