"""Bring the local stack up, or bring the one that is up to the state of the checkout."""

import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from localstack import demo, processes
from localstack.clients import Clients
from localstack.deployment import STACK, admin_token, api_url, callback_url, deploy, tick, wait_until_well
from localstack.errors import LocalStackError
from localstack.handlers import check_handlers
from localstack.ministack import PROGRAM, REGION, MiniStack, last_port
from localstack.place import CHECKOUT, Place, Record
from localstack.ports import LOOPBACK, is_free, next_free
from minutehand.client import Client, MinutehandError

ECHO = "echo"
FIRST_PORT = 4566
FIRST_ECHO_PORT = 4600
LOCAL_PARAMETERS = {"AllowLoopbackTargets": "true", "LogLevel": "INFO"}


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What a caller asks for: a port, or None for the one of last time or else the next free; parameters over the
    local defaults; and whether the demo jobs shall be there.
    """

    port: int | None = None
    parameters: Mapping[str, str] | None = None
    demo: bool = True


def bring_up(place: Place, wish: Wish, say: Callable[[str], None]) -> Record:
    """Start what does not run, deploy the checkout's template, and write the record that says how to reach it all.

    ``say`` is given one line for each step. Data, token and port of an earlier run are kept. Raises ``LocalStackError``.
    """
    parameters = LOCAL_PARAMETERS | dict(wish.parameters or {})
    check_handlers(place, parameters)
    place.state.mkdir(parents=True, exist_ok=True, mode=0o700)
    before = Record.load(place.record)
    echo_port = _echo(place, before, say)
    runs = processes.running(place.pid_file(PROGRAM))
    emulator = _emulator(place, wish.port, say)
    clients = Clients(emulator.endpoint_url)

    began = time.monotonic()
    outputs = deploy(place, clients, {"CallbackUrl": callback_url(emulator.endpoint_url)} | parameters)
    say(f"template.yaml deployed in {time.monotonic() - began:.1f} s")

    record = Record(
        url=api_url(emulator.endpoint_url, outputs["ApiUrl"]),
        token=admin_token(clients, outputs),
        endpoint_url=emulator.endpoint_url,
        region=REGION,
        stack=STACK,
        jobs_table=outputs["JobsTable"],
        runs_table=outputs["RunsTable"],
        port=emulator.port,
        echo_port=echo_port,
        echo_url=_echo_url(echo_port),
        demo=before.demo if before else "",
        outputs=outputs,
    )
    record.save(place.record)
    with Client(record.url, record.token) as client:
        log = place.log_file(PROGRAM)
        wait_until_well(client, patience=30, where=lambda: f"The end of {log}:\n{processes.tail(log)}")
        say(f"API answers at {record.url}")
        if processes.running(place.pid_file(PROGRAM)) != runs:
            # the emulator's own first tick is a minute off; one tick more never does harm
            tick(clients, outputs)
        if wish.demo:
            record = _with_demo(place, record, client, say)
    return record


def _echo(place: Place, before: Record | None, say: Callable[[str], None]) -> int:
    pid_file, last = place.pid_file(ECHO), _last_echo_port(place, before)
    if last is not None and processes.running(pid_file):
        say(f"echo service runs at {_echo_url(last)}")
        return last
    processes.stop(pid_file, patience=5)
    port = last if last is not None and is_free(last) else next_free(FIRST_ECHO_PORT)
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    processes.start(
        [sys.executable, "-m", "localstack.echo", "--port", str(port)],
        pid_file=pid_file,
        log_file=place.log_file(ECHO),
        env=environment | {"PYTHONPATH": str(CHECKOUT)},
    )
    _echo_port_file(place).write_text(f"{port}\n", encoding="utf-8")
    say(f"echo service started at {_echo_url(port)}")
    if last not in {None, port}:
        say(
            f"note: another program has port {last} now, where the echo service was. Jobs of yours that call "
            f"{_echo_url(last)} do not reach it any more: save them again with {_echo_url(port)}"
        )
    return port


def _last_echo_port(place: Place, before: Record | None) -> int | None:
    """The port of last time. It has a file of its own: ``make compose`` leaves the address of another echo in the record."""
    try:
        return int(_echo_port_file(place).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return before.echo_port if before and before.echo_url == _echo_url(before.echo_port) else None


def _echo_port_file(place: Place) -> Path:
    return place.state / "echo.port"


def _echo_url(port: int) -> str:
    return f"http://{LOOPBACK}:{port}"


def _emulator(place: Place, wished: int | None, say: Callable[[str], None]) -> MiniStack:
    pid_file, last = place.pid_file(PROGRAM), last_port(place)
    runs = processes.running(pid_file) is not None and last is not None
    if wished is not None and not (runs and wished == last) and not is_free(wished):
        raise LocalStackError(
            f"Port {wished} is in use by another program. Give a free one, as in 'make up PORT={next_free(wished)}', "
            "or none to let one be chosen."
        )
    if runs and last is not None:
        if wished in {None, last} and (emulator := MiniStack(place=place, port=last)).answers():
            say(f"MiniStack runs at {emulator.endpoint_url}")
            return emulator
        processes.stop(pid_file, patience=60)
    emulator = MiniStack(place=place, port=_choose(wished, last))
    began = time.monotonic()
    emulator.start()
    say(f"MiniStack started at {emulator.endpoint_url} in {time.monotonic() - began:.1f} s")
    return emulator


def _choose(wished: int | None, last: int | None) -> int:
    if wished is not None:
        return wished
    return last if last is not None and is_free(last) else next_free(FIRST_PORT)


def _with_demo(place: Place, record: Record, client: Client, say: Callable[[str], None]) -> Record:
    """Apply the demo jobs once, and again only when they changed: what a user did to them stays."""
    folder: Path = place.checkout / "examples" / "demo"
    now = demo.digest(folder, record.echo_url)
    if record.demo == now:
        say("demo jobs are there")
        return record
    try:
        names = demo.apply(folder, record.echo_url, client)
    except MinutehandError as error:
        raise LocalStackError(f"The demo jobs in {folder} could not be applied: {error}") from error
    say(f"demo jobs applied: {', '.join(names)}")
    record = record.evolve(demo=now)
    record.save(place.record)
    return record
