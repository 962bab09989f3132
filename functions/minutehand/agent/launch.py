"""Launches the process of an order: which user, directory, environment and program; and what is wrong if one of them is missing."""

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping

from minutehand.agent.accounts import Account, account_named, base_variables, identity
from minutehand.agent.app import KEPT_VARIABLES, AgentApp
from minutehand.agent.directory import Directory, not_entered, opened
from minutehand.agent.not_launched import NotLaunched
from minutehand.agent.order import Order
from minutehand.agent.rules import Rules
from minutehand.client.handover import Handover

_NO_PROGRAM = (errno.EACCES, errno.ENOEXEC, errno.EISDIR, errno.ELIBBAD)


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
    refusal = rules.refusal(order)
    if refusal is not None:
        raise NotLaunched("CommandRefused", refusal)
    program = _program(order, app, handover)
    account = _account(rules.user_of(order), own)
    with opened(order.directory, account, own) as directory:
        refusal = rules.refused_place(order, directory.path, account.home)
        if refusal is not None:
            raise NotLaunched("CommandRefused", refusal)
        variables = variables_for(order, account, environment, node)
        switched = identity(account, own)
        try:
            return subprocess.Popen(  # noqa: S603 - running the job's command is what an agent is for
                program or [each.encode() for each in order.arguments],
                stdin=stdin,
                stdout=output,
                stderr=output,
                cwd=directory.cwd,
                env={name.encode(): text.encode() for name, text in variables.items()},
                start_new_session=True,
                pass_fds=() if handover is None else (handover.fd,),
                **switched,
            )
        except OSError as error:
            if error.filename == directory.cwd:
                raise not_entered(order.directory or account.home, account, error) from error
            raise _explained(error, order, account, None if switched else directory, variables) from error
        except ValueError as error:  # a NUL, or half a surrogate pair
            why = f"no program can get these arguments or variables: {error}"
            raise NotLaunched("CommandRefused", why) from error


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
        **_place(order),
    }


def _place(order: Order) -> Mapping[str, str]:
    """The place of this node among those of a run on several nodes; nothing for any other run."""
    if order.node_index is None or order.node_total is None:
        return {}
    return {"MINUTEHAND_NODE_INDEX": str(order.node_index), "MINUTEHAND_NODE_TOTAL": str(order.node_total)}


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
    error: OSError, order: Order, account: Account, directory: Directory | None, variables: Mapping[str, str]
) -> NotLaunched:
    """What a refused start means for the job. directory: where the agent may look for the program, if it sees no more than its user."""
    why = error.strerror or str(error)
    program = order.arguments[0] if order.arguments else sys.executable
    if error.errno == errno.EPERM:
        return NotLaunched("CommandRefused", f"the agent may not run commands as {account.name}: {why}")
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        where = "" if "/" in program else f" in PATH ({variables['PATH']})"
        if directory is None:
            either = f"this machine has no program {program}{where}, or not the interpreter that it names"
            return NotLaunched("CommandNotFound", either)
        path = program if "/" in program else shutil.which(program, path=variables["PATH"])
        if path is not None and os.path.exists(os.path.join(directory.path, path)):  # noqa: PTH110, PTH118 - relative to where it runs
            return NotLaunched("NotExecutable", f"{program} names an interpreter that this machine does not have")
        return NotLaunched("CommandNotFound", f"this machine has no program {program}{where}")
    if error.errno in _NO_PROGRAM:
        return NotLaunched("NotExecutable", f"{account.name} cannot execute {program}: {why}")
    return NotLaunched("NotStarted", f"this machine cannot start {program} now: {why}")
