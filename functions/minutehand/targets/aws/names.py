"""Names of what an attempt starts in AWS. A repeated start has the same name, so that AWS starts nothing twice."""

from __future__ import annotations

import hashlib
import re

from minutehand.usecases.ports.target import Call

PREFIX = "minutehand-"
"""What such names begin with. The rules of the template for ends of executions and tasks select by it."""
_LONGEST_RUN = 40


def digest_of(call: Call) -> str:
    """64 characters that belong to one attempt of a run, and tell nothing about it. Two stacks with the same jobs have different ones."""
    return hashlib.sha256(
        f"{call.run.key.job}/{call.run.key.run_id}/{call.run.attempt}/{call.token}".encode()
    ).hexdigest()


def execution_of(machine: str, name: str) -> str:
    """The ARN of an execution, by that of its state machine (or of a version or an alias, which is no part of it) and its name."""
    *place, _, machine_name = machine.split(":")[:7]
    return ":".join((*place, "execution", machine_name, name))


def name_of(call: Call) -> str:
    """A name of at most 80 letters, digits and hyphens: with the run's id and the attempt, for people."""
    run = re.sub(r"[^A-Za-z0-9]+", "-", call.run.key.run_id)[:_LONGEST_RUN]
    return f"{PREFIX}{run}-{call.run.attempt}-{digest_of(call)[:16]}"
