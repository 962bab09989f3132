"""The local stack's commands ``up``, ``down`` and ``clean``."""

import shutil
import time
from collections.abc import Callable, Mapping

from localstack import demo, ministack, processes
from localstack.clients import Clients
from localstack.deployment import SECRETS, STACK, api_url, callback_url, deploy, tick, wait_until_healthy
from localstack.echo_process import PROGRAM as ECHO
from localstack.echo_process import echo_url, start_echo
from localstack.errors import LocalStackError
from localstack.first_token import admin_token
from localstack.import_check import check_imports
from localstack.ministack import PROGRAM, REGION, MiniStack
from localstack.ports import is_free, next_free
from localstack.workspace import StackInfo, Workspace
from minutehand.client import Client, MinutehandError

FIRST_PORT = 4566
LOCAL_PARAMETERS = {"AllowLoopbackTargets": "true", "LogLevel": "INFO", "Agents": "true"} | SECRETS

Report = Callable[[str], None]
"""A function that prints one line about a finished step."""


def up(
    workspace: Workspace,
    report: Report,
    *,
    port: int | None = None,
    parameters: Mapping[str, str] | None = None,
    demo_jobs: bool = True,
) -> StackInfo:
    """Start the emulator and the echo service, deploy the template, and write ``local.json``. Data and token of the last run stay.

    Args:
        port: the emulator's; by default the last one, or else the next free one.
        parameters: of the template, in addition to ``LOCAL_PARAMETERS``.
        demo_jobs: whether to save the demo jobs.

    Raises:
        LocalStackError: if the code cannot be imported, the port is in use, or a step fails.
    """
    template_parameters = LOCAL_PARAMETERS | dict(parameters or {})
    check_imports(workspace, template_parameters)
    workspace.state.mkdir(parents=True, exist_ok=True, mode=0o700)
    before = StackInfo.load(workspace.info_file)
    pid_before = processes.running(workspace.pid_file(PROGRAM))
    emulator = _start_emulator(workspace, port, report)
    echo_port = start_echo(workspace, before, report)
    clients = Clients(emulator.endpoint_url)

    began = time.monotonic()
    outputs = deploy(workspace, clients, {"CallbackUrl": callback_url(emulator.endpoint_url)} | template_parameters)
    report(f"template.yaml deployed in {time.monotonic() - began:.1f} s")

    info = StackInfo(
        url=api_url(emulator.endpoint_url, outputs["ApiUrl"]),
        token=admin_token(clients, outputs),
        endpoint_url=emulator.endpoint_url,
        region=REGION,
        stack=STACK,
        jobs_table=outputs["JobsTable"],
        runs_table=outputs["RunsTable"],
        port=emulator.port,
        echo_port=echo_port,
        echo_url=echo_url(echo_port),
        demo=before.demo if before else "",
        outputs=outputs,
    )
    info.save(workspace.info_file)
    with Client(info.url, info.token) as client:
        log = workspace.log_file(PROGRAM)
        wait_until_healthy(client, timeout=30, hint=lambda: f"The end of {log}:\n{processes.tail(log)}")
        report(f"API answers at {info.url}")
        if processes.running(workspace.pid_file(PROGRAM)) != pid_before:
            tick(clients, outputs)
        if demo_jobs:
            info = _save_demo_jobs(workspace, info, client, report)
    return info


def down(workspace: Workspace, report: Report) -> None:
    """Stop the emulator, which first saves its state, and the echo service. Raises ``LocalStackError`` if one takes over 60 s."""
    stopped = [name for name in (PROGRAM, ECHO) if processes.stop(workspace.pid_file(name), timeout=60)]
    report(f"stopped: {', '.join(stopped)}" if stopped else "nothing was running")


def clean(workspace: Workspace, report: Report) -> None:
    """Stop everything, and delete the stack's data: jobs, runs, tokens and logs."""
    down(workspace, report)
    if workspace.state.exists():
        shutil.rmtree(workspace.state)
        report(f"deleted {workspace.state}")


def _start_emulator(workspace: Workspace, port: int | None, report: Report) -> MiniStack:
    pid_file, last = workspace.pid_file(PROGRAM), ministack.last_port(workspace)
    was_started = pid_file.exists()  # `make down` removes the file
    runs = processes.running(pid_file) is not None and last is not None
    if port is not None and not (runs and port == last) and not is_free(port):
        raise LocalStackError(
            f"Another program uses port {port}. Name a free one, such as 'make up PORT={next_free(port)}', or none to let one be chosen."
        )
    if runs and last is not None:
        if port in {None, last} and (emulator := MiniStack(workspace=workspace, port=last)).answers():
            report(f"MiniStack runs at {emulator.endpoint_url}")
            return emulator
        processes.stop(pid_file, timeout=60)
    chosen = port or (last if last is not None and is_free(last) else next_free(FIRST_PORT))
    if why := _why_started(last, chosen, asked=port is not None, runs=runs, was_started=was_started):
        report(why)
    emulator = MiniStack(workspace=workspace, port=chosen)
    began = time.monotonic()
    emulator.start()
    report(f"MiniStack started at {emulator.endpoint_url} in {time.monotonic() - began:.1f} s")
    return emulator


def _why_started(last: int | None, port: int, *, asked: bool, runs: bool, was_started: bool) -> str | None:
    """Why the emulator of an existing stack is started again, or has not the usual port; None for a first start at that, and after
    ``make down``."""
    if last is None:
        return (
            None if asked or port == FIRST_PORT else f"another program uses port {FIRST_PORT}: MiniStack takes {port}"
        )
    if port != last:
        why = "as PORT asks" if asked else "since another program uses the old one"
        return f"MiniStack moves from port {last} to {port}, {why}: the API's address changes, the data stay"
    if runs:
        return "MiniStack ran but did not answer: it is restarted, the data stay"
    return (
        "MiniStack ended without 'make down': it is started again with the data that it last saved"
        if was_started
        else None
    )


def _save_demo_jobs(workspace: Workspace, info: StackInfo, client: Client, report: Report) -> StackInfo:
    """Save the demo jobs once, and again only when their files changed: edits of the user stay."""
    folder = workspace.checkout / "examples" / "demo"
    digest = demo.digest(folder, info.echo_url)
    if info.demo == digest:
        report("demo jobs are unchanged")
        return info
    try:
        names = demo.apply(folder, info.echo_url, client)
    except MinutehandError as error:
        raise LocalStackError(f"The demo jobs in {folder} could not be saved: {error}") from error
    report(f"demo jobs saved: {', '.join(names)}")
    info = info.with_demo(digest)
    info.save(workspace.info_file)
    return info
