"""Launches the process of an order: which user, directory, environment and program; and what is wrong if one of them is missing."""

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping

from minutehand.agent.accounts import Account, account_named, base_variables, identity
from minutehand.agent.app import KEPT_VARIABLES, AgentApp
from minutehand.agent.order import Order
from minutehand.agent.rules import Rules
from minutehand.client.handover import Handover

_NO_PROGRAM = (errno.EACCES, errno.ENOEXEC, errno.EISDIR, errno.ELIBBAD)


class NotLaunched(Exception):
    """No process was started. `type` is the error's type in the report."""

    def __init__(self, type: str, message: str) -> None:  # noqa: A002 - as the document has it
        super().__init__(message)
        self.type = type
        self.message = message


def launched(
    order: Order,
    rules: Rules,
    own: Account,
    environment: Mapping[str, str],
    *,
    node: str,
    stdin: int,
    output: int,
    app: AgentApp | None = None,
    handover: Handover | None = None,
) -> subprocess.Popen[bytes]:
    """Start an order's process, which leads a session of its own.

    Args:
        own: the account of this process.
        environment: the variables of this process; few of them are passed on.
        node: the name of this node.
        stdin, output: file descriptors of the process; it writes both streams to `output`.
        app: the agent's.
        handover: takes the outcome of a handler; with an order of one.

    Raises:
        NotLaunched: if the rules refuse the order, or something that it names is missing.
    """
    try:
        directory = os.path.realpath(order.directory or "/")
    except ValueError as error:
        raise NotLaunched("NoDirectory", f"{order.directory!r:.200} cannot be a directory") from error
    refusal = rules.refusal(order, directory)
    if refusal is not None:
        raise NotLaunched("CommandRefused", refusal)
    program = _program(order, app, handover)
    account = _account(rules.user_of(order), own)
    if order.directory is None:
        directory = account.home if os.path.isdir(account.home) else "/"  # noqa: PTH112 - a text, as Popen takes it
    elif not os.path.isdir(directory):  # noqa: PTH112 - as above
        raise NotLaunched("NoDirectory", f"this machine has no directory {order.directory}")
    variables = variables_for(order, account, environment, node)
    try:
        return subprocess.Popen(  # noqa: S603 - running the job's command is what an agent is for
            program or [each.encode() for each in order.arguments],
            stdin=stdin,
            stdout=output,
            stderr=output,
            cwd=directory,
            env={name.encode(): text.encode() for name, text in variables.items()},
            start_new_session=True,
            pass_fds=() if handover is None else (handover.fd,),
            **identity(account, own),
        )
    except OSError as error:
        raise _explained(error, order, account, directory, variables) from error
    except ValueError as error:  # a NUL, or half a surrogate pair
        raise NotLaunched("CommandRefused", f"no program can get these arguments or variables: {error}") from error


def variables_for(order: Order, account: Account, environment: Mapping[str, str], node: str) -> dict[str, str]:
    """The variables of a command: few of the agent's own, those of its user, those of the job, and what the run is."""
    return {
        **base_variables(account, environment, KEPT_VARIABLES if order.handler else ()),
        **order.environment,
        "MINUTEHAND_JOB": order.key.job,
        "MINUTEHAND_RUN_ID": order.key.run_id,
        "MINUTEHAND_SCHEDULED_FOR": order.scheduled_for,
        "MINUTEHAND_ATTEMPT": str(order.key.attempt),
        "MINUTEHAND_ATTEMPTS_LEFT": str(order.attempts_left),
        "MINUTEHAND_DEADLINE": order.deadline,
        "MINUTEHAND_NODE": node,
    }


def _program(order: Order, app: AgentApp | None, handover: Handover | None) -> list[bytes] | None:
    """The program of a handler; None for a command. Raises NotLaunched for an agent without an app."""
    if order.handler is None:
        return None
    if app is None or handover is None:
        text = f"this agent runs no handlers, {order.handler.name} neither: start it with --app, or give the job another pool"
        raise NotLaunched("UnknownHandler", text)
    return app.arguments("run", handover)


def _account(name: str, own: Account) -> Account:
    if name == own.name:
        return own
    found = account_named(name)
    if found is None:
        raise NotLaunched("UnknownUser", f"this machine has no user {name}")
    return found


def _explained(
    error: OSError, order: Order, account: Account, directory: str, variables: Mapping[str, str]
) -> NotLaunched:
    """What a refused start means for the job."""
    why = error.strerror or str(error)
    program = order.arguments[0] if order.arguments else sys.executable
    if error.errno == errno.EPERM:
        return NotLaunched("CommandRefused", f"the agent may not run commands as {account.name}: {why}")
    if error.filename == directory:
        return NotLaunched("NoDirectory", f"{account.name} cannot enter the directory {directory}: {why}")
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        path = program if "/" in program else shutil.which(program, path=variables["PATH"])
        if path is not None and os.path.exists(os.path.join(directory, path)):  # noqa: PTH110, PTH118 - relative to where it runs
            return NotLaunched("NotExecutable", f"{program} names an interpreter that this machine does not have")
        where = "" if "/" in program else f" in PATH ({variables['PATH']})"
        return NotLaunched("CommandNotFound", f"this machine has no program {program}{where}")
    if error.errno in _NO_PROGRAM:
        return NotLaunched("NotExecutable", f"{account.name} cannot execute {program}: {why}")
    return NotLaunched("NotStarted", f"this machine cannot start {program} now: {why}")
