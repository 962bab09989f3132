"""Accounts of this machine, as which commands run."""

import os
import pwd
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_KEPT_VARIABLES = ("PATH", "LANG", "TZ")
_DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Account(NamedTuple):
    """A user with its groups. `shell` and `home` are paths."""

    name: str
    uid: int
    gid: int
    groups: tuple[int, ...]
    home: str


def account_named(name: str) -> Account | None:
    """The account of a name, with its supplementary groups; None if this machine has none."""
    try:
        found = pwd.getpwnam(name)
    except (KeyError, ValueError):  # a name with a NUL is no name
        return None
    return Account(name, found.pw_uid, found.pw_gid, tuple(os.getgrouplist(name, found.pw_gid)), found.pw_dir)


def own_account(environment: Mapping[str, str]) -> Account:
    """The account of this process. Containers often run as a number without a name; its home is then that of the environment."""
    uid, gid = os.getuid(), os.getgid()
    try:
        found = pwd.getpwuid(uid)
        name, home = found.pw_name, found.pw_dir
    except KeyError:
        name, home = environment.get("USER") or str(uid), "/"
    return Account(name, uid, gid, tuple(os.getgroups()), environment.get("HOME") or home)


def base_variables(account: Account, environment: Mapping[str, str], more: Sequence[str] = ()) -> dict[str, str]:
    """The variables of every process of an account: few of the agent's own, so that none holds a secret of it.

    Args:
        environment: the agent's.
        more: names of further ones to pass on.
    """
    found = {name: environment[name] for name in (*_KEPT_VARIABLES, *more) if name in environment}
    return {"PATH": _DEFAULT_PATH, **found, "HOME": account.home, "USER": account.name, "LOGNAME": account.name}


def identity(account: Account, own: Account) -> dict[str, Any]:
    """The arguments of `subprocess.Popen` for a process of an account; `own`: that of this process."""
    if account.uid == own.uid:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": account.groups}
