"""The app of an agent: a package with Python handlers, which runs in processes of their own, one for each run."""

import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from minutehand.agent.accounts import Account, base_variables, identity
from minutehand.agent.directory import opened
from minutehand.agent.events import Journal
from minutehand.agent.not_launched import NotLaunched
from minutehand.client.errors import ConfigurationError
from minutehand.client.handover import Handover

KEPT_VARIABLES = ("PYTHONPATH",)
"""Variables of the agent that the processes of its app get, besides those that commands get."""
LONGEST_LOADING = 120.0
"""Seconds in which an app must load."""
_MODULE = "minutehand.handlers.on_agent"
_SHOWN = 1000
"""Most characters shown of what a process wrote that did not load the app."""


class AgentApp(NamedTuple):
    """An app.

    Attributes:
        name: as `--app` has it: a package, a module, or `module:name`.
        folder: where its modules are looked for, besides what is installed for this interpreter.
    """

    name: str
    folder: str

    def arguments(self, task: str, handover: Handover) -> list[bytes]:
        """The program for a task, `check` or `run`. It imports nothing from its working directory, which the job chooses."""
        given = ("-P", "-m", _MODULE, task, self.name, self.folder, str(handover.fd))
        return [os.fsencode(each) for each in (sys.executable, *given)]


def check_app(
    app: AgentApp, account: Account, own: Account, environment: Mapping[str, str], journal: Journal
) -> tuple[str, ...]:
    """Load an app in a process of its own, as each of its runs does. Returns the names of its handlers.

    Args:
        account: as whom it is loaded.
        own: the account of this process.
        environment: the variables of this process.

    Raises:
        ConfigurationError: if it cannot be loaded.
    """
    handover = Handover.made()
    try:
        with opened(None, account, own) as directory:
            done = subprocess.run(  # noqa: S603 - this interpreter
                app.arguments("check", handover),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=directory.cwd,
                env=base_variables(account, environment, KEPT_VARIABLES),
                pass_fds=(handover.fd,),
                start_new_session=True,
                timeout=LONGEST_LOADING,
                check=False,
                **identity(account, own),
            )
        found = handover.read()
    except subprocess.TimeoutExpired:
        raise ConfigurationError(
            f"the app {app.name} did not load within {LONGEST_LOADING:g} s",
            hint="its modules are imported for each run: open connections in its init function, or in the handlers",
        ) from None
    except NotLaunched as error:
        raise ConfigurationError(f"the app {app.name} cannot be loaded as {account.name}: {error.message}") from error
    except OSError as error:
        raise ConfigurationError(
            f"{account.name} cannot execute {sys.executable}, which is to load the app {app.name}: {error.strerror or error}",
            hint=f"install Python and minutehand where {account.name} may read them",
        ) from error
    finally:
        handover.close()
    if not isinstance(found, dict):
        raise _gone(app, done)
    if "handlers" in found:
        handlers = tuple(map(str, found["handlers"]))
        journal.info("app", f"the app {app.name} has the handlers {', '.join(handlers)}")
        return handlers
    raise ConfigurationError(f"the app {app.name} cannot be loaded: {found.get('wrong')}", hint=found.get("hint"))


def _gone(app: AgentApp, done: "subprocess.CompletedProcess[bytes]") -> ConfigurationError:
    said = done.stdout.decode("utf-8", "replace").strip()[-_SHOWN:]
    return ConfigurationError(
        f"the process that loads the app {app.name} ended with exit code {done.returncode} before it had",
        hint=f"it wrote: {said}"
        if said
        else f"see what `{sys.executable} -c 'import {app.name.partition(':')[0]}'` does",
    )


class HandedOver:
    """What the process of one handler hands over."""

    def __init__(self) -> None:
        self._handover: Handover | None = None

    def open(self) -> Handover:
        """Begin, for a process that is about to start. Raises OSError."""
        self._handover = Handover.made()
        return self._handover

    def read(self) -> Any:
        """The document; None if there is no whole one."""
        return None if self._handover is None else self._handover.read()

    def close(self) -> None:
        """Forget it."""
        if self._handover is not None:
            self._handover.close()
