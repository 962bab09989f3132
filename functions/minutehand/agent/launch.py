"""Launches the process of an order: which user, directory, environment and program; and what is wrong if one of them is missing."""

import errno
import os
import shutil
import subprocess
from collections.abc import Mapping
from typing import Any

from minutehand.agent.accounts import Account, account_named
from minutehand.agent.directory import Directory, not_entered, opened
from minutehand.agent.not_launched import NotLaunched
from minutehand.agent.order import Order
from minutehand.agent.rules import Rules

_KEPT_VARIABLES = ("PATH", "LANG", "TZ")
_DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_NO_PROGRAM = (errno.EACCES, errno.ENOEXEC, errno.EISDIR, errno.ELIBBAD)


def launched(
    order: Order, rules: Rules, own: Account, environment: Mapping[str, str], *, node: str, stdin: int, output: int
) -> subprocess.Popen[bytes]:
    """Start an order's process, which leads a session of its own.

    Args:
        own: the account of this process.
        environment: the variables of this process; few of them are passed on.
        node: the name of this node.
        stdin, output: file descriptors of the process; it writes both streams to `output`.

    Raises:
        NotLaunched: if the rules refuse the order, or something that it names is missing.
    """
    refusal = rules.refusal(order)
    if refusal is not None:
        raise NotLaunched("CommandRefused", refusal)
    account = _account(rules.user_of(order), own)
    with opened(order.directory, account, own) as directory:
        refusal = rules.refused_place(order, directory.path, account.home)
        if refusal is not None:
            raise NotLaunched("CommandRefused", refusal)
        variables = variables_for(order, account, environment, node)
        identity = _identity(account) if account.uid != own.uid else {}
        try:
            return subprocess.Popen(  # noqa: S603 - running the job's command is what an agent is for
                [each.encode() for each in order.arguments],
                stdin=stdin,
                stdout=output,
                stderr=output,
                cwd=directory.cwd,
                env={name.encode(): text.encode() for name, text in variables.items()},
                start_new_session=True,
                **identity,
            )
        except OSError as error:
            if error.filename == directory.cwd:
                raise not_entered(order.directory or account.home, account, error) from error
            raise _explained(error, order, account, None if identity else directory, variables) from error
        except ValueError as error:  # a NUL, or half a surrogate pair
            why = f"no program can get these arguments or variables: {error}"
            raise NotLaunched("CommandRefused", why) from error


def variables_for(order: Order, account: Account, environment: Mapping[str, str], node: str) -> dict[str, str]:
    """The variables of a command: few of the agent's own, those of its user, those of the job, and what the run is."""
    found = {name: environment[name] for name in _KEPT_VARIABLES if name in environment}
    return {
        "PATH": _DEFAULT_PATH,
        **found,
        "HOME": account.home,
        "USER": account.name,
        "LOGNAME": account.name,
        **order.environment,
        "MINUTEHAND_JOB": order.key.job,
        "MINUTEHAND_RUN_ID": order.key.run_id,
        "MINUTEHAND_SCHEDULED_FOR": order.scheduled_for,
        "MINUTEHAND_ATTEMPT": str(order.key.attempt),
        "MINUTEHAND_ATTEMPTS_LEFT": str(order.attempts_left),
        "MINUTEHAND_DEADLINE": order.deadline,
        "MINUTEHAND_NODE": node,
    }


def _identity(account: Account) -> dict[str, Any]:
    """What makes a process that of another account."""
    return {"user": account.uid, "group": account.gid, "extra_groups": account.groups}


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
    program = order.arguments[0]
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
