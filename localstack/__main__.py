"""``python -m localstack up | down | clean | logs | bundle | deploy``; see ``make help`` and README.md."""

import argparse
import contextlib
import fcntl
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from localstack.bundle import make_bundle
from localstack.down import bring_down, forget
from localstack.elsewhere import There, bring_there
from localstack.errors import LocalStackError
from localstack.lines import Wanted
from localstack.logs import follow
from localstack.place import Place, Record
from localstack.ports import port_of
from localstack.saying import hush, progress, say
from localstack.up import Wish, bring_up

WELCOME = """
API    {url}
token  {token}
echo   {echo_url}

Try:
  .venv/bin/minutehand list --namespace demo
  .venv/bin/minutehand runs demo/heartbeat --follow
  .venv/bin/minutehand next "*/15 9-17 * * mon-fri" --timezone Europe/Paris"""


def main() -> int:
    """Run one command; returns the exit status."""
    arguments = _arguments()
    place = Place()
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]  # a profile or endpoint of the user's has no business with the emulator
    os.environ["AWS_CONFIG_FILE"] = os.environ["AWS_SHARED_CREDENTIALS_FILE"] = os.devnull
    try:
        if arguments.command == "logs":
            _logs(place, arguments)
        elif arguments.command == "bundle":
            make_bundle(place, place.bundle)
        elif arguments.command == "deploy":
            _deploy(place, arguments)
        elif arguments.command == "up":
            wish = Wish(port=port_of(arguments.port) if arguments.port is not None else None)
            with _alone(place):
                record = bring_up(place, wish, progress)
            say(WELCOME.format(url=record.url, token=record.token, echo_url=record.echo_url))
        elif arguments.command == "down":
            with _alone(place):
                bring_down(place, progress)
        else:
            forget(place, progress)
    except LocalStackError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # of `make logs | head`: whoever read has seen enough
        hush()
    return 0


def _logs(place: Place, arguments: argparse.Namespace) -> None:
    follow(
        _record(place),
        back=arguments.back,
        wanted=Wanted(run=arguments.run, job=arguments.job),
        function=arguments.function,
        colours=sys.stdout.isatty() and not os.environ.get("NO_COLOR"),  # no-color.org
        say=lambda line: print(line, flush=True),
    )


def _deploy(place: Place, arguments: argparse.Namespace) -> None:
    there = There(
        endpoint_url=arguments.endpoint_url,
        public_url=arguments.public_url or arguments.endpoint_url,
        echo_url=arguments.echo_url,
        record=place.record if arguments.record else None,
    )
    record = bring_there(replace(place, functions=arguments.functions or place.bundle), there, progress)
    say(WELCOME.format(url=record.url, token=record.token, echo_url=record.echo_url))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m localstack", description="The whole of Minutehand on one machine.")
    commands = parser.add_subparsers(dest="command", required=True)
    up = commands.add_parser("up", help="start the stack, or bring it to the state of the checkout")
    up.add_argument("--port", help="port of the emulator (default: that of last time, else the next free)")
    commands.add_parser("down", help="stop the stack and keep its data")
    commands.add_parser("clean", help="stop the stack and delete its data")
    commands.add_parser("bundle", help="pack the functions for an emulator in a container")
    deploy = commands.add_parser("deploy", help="deploy to an emulator that runs already, and apply the demo jobs")
    deploy.add_argument("--endpoint-url", required=True, help="where it is, as seen from here")
    deploy.add_argument("--public-url", default="", help="where people reach it (default: the same)")
    deploy.add_argument("--echo-url", required=True, help="the echo service, as the functions reach it")
    deploy.add_argument("--functions", type=Path, help="what to deploy (default: what 'bundle' made)")
    deploy.add_argument("--record", action="store_true", help="let the command line and 'logs' find it from here on")
    logs = commands.add_parser("logs", help="follow what the functions write")
    logs.add_argument("--back", type=float, default=60, help="begin this many seconds ago (default 60)")
    logs.add_argument("--run", default="", help="only lines about runs whose id begins like this")
    logs.add_argument("--job", default="", help="only lines about this job: namespace/name")
    logs.add_argument("--function", default="", help="only this function, such as tick")
    return parser.parse_args()


def _record(place: Place) -> Record:
    record = Record.load(place.record)
    if record is None:
        raise LocalStackError("There is no local stack in this checkout yet: make up")
    return record


@contextlib.contextmanager
def _alone(place: Place) -> Iterator[None]:
    """Keep a second command of this checkout from starting what the first is starting."""
    place.state.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (place.state / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LocalStackError(
                "Another 'make up' or 'make down' of this checkout is at work; wait for it."
            ) from None
        yield


if __name__ == "__main__":
    sys.exit(main())
