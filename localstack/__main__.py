"""``python -m localstack up | down | clean | logs | bundle | deploy``; see ``make help`` and README.md."""

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path

from localstack.bundle import make_bundle
from localstack.clients import forget_settings_of_user
from localstack.console import discard_output, print_line, print_step
from localstack.errors import LocalStackError
from localstack.external import ExternalEmulator, deploy_external
from localstack.lifecycle import clean, down, up
from localstack.log_lines import LogFilter
from localstack.logs import follow
from localstack.ports import parse_port
from localstack.workspace import StackInfo, Workspace

WELCOME = """
API    {url}
docs   {url}/docs
token  {token}
echo   {echo_url}

Try:
  .venv/bin/minutehand list --namespace demo
  .venv/bin/minutehand runs demo/heartbeat --follow
  .venv/bin/minutehand next "*/15 9-17 * * mon-fri" --timezone Europe/Paris"""


def main() -> int:
    """Run one command; returns the exit status."""
    arguments = _arguments()
    workspace = Workspace()
    forget_settings_of_user()
    try:
        if arguments.command == "logs":
            _logs(workspace, arguments)
        elif arguments.command == "bundle":
            make_bundle(workspace, workspace.bundle)
        elif arguments.command == "deploy":
            _deploy(workspace, arguments)
        elif arguments.command == "up":
            port = parse_port(arguments.port) if arguments.port is not None else None
            with workspace.locked():
                info = up(workspace, print_step, port=port)
            _print_welcome(info)
        elif arguments.command == "down":
            with workspace.locked():
                down(workspace, print_step)
        else:
            clean(workspace, print_step)
    except LocalStackError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `make logs | head`: the reader has read enough
        discard_output()
    return 0


def _logs(workspace: Workspace, arguments: argparse.Namespace) -> None:
    follow(
        _info(workspace),
        back=arguments.back,
        log_filter=LogFilter(run=arguments.run, job=arguments.job),
        function=arguments.function,
        colours=sys.stdout.isatty() and not os.environ.get("NO_COLOR"),  # no-color.org
        write=lambda line: print(line, flush=True),
        note=lambda line: print(line, file=sys.stderr, flush=True),
    )


def _deploy(workspace: Workspace, arguments: argparse.Namespace) -> None:
    emulator = ExternalEmulator(
        endpoint_url=arguments.endpoint_url,
        public_url=arguments.public_url or arguments.endpoint_url,
        echo_url=arguments.echo_url,
        callback_url=arguments.callback_url or arguments.public_url or arguments.endpoint_url,
    )
    info = deploy_external(
        replace(workspace, functions=arguments.functions or workspace.bundle),
        emulator,
        print_step,
        info_file=workspace.info_file if arguments.record else None,
    )
    _print_welcome(info)


def _print_welcome(info: StackInfo) -> None:
    print_line(WELCOME.format(url=info.url, token=info.token, echo_url=info.echo_url))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m localstack", description="Minutehand on one machine.")
    commands = parser.add_subparsers(dest="command", required=True)
    up = commands.add_parser("up", help="start the stack, or deploy changes to it")
    up.add_argument("--port", help="port of the emulator (default: the last one, or else the next free one)")
    commands.add_parser("down", help="stop the stack and keep its data")
    commands.add_parser("clean", help="stop the stack and delete its data")
    commands.add_parser("bundle", help="package the functions for an emulator in a container")
    deploy = commands.add_parser("deploy", help="deploy to an emulator that already runs, and save the demo jobs")
    deploy.add_argument("--endpoint-url", required=True, help="its address, as seen from here")
    deploy.add_argument("--public-url", default="", help="its address for people (default: the same)")
    deploy.add_argument("--echo-url", required=True, help="address of the echo service, as seen from the functions")
    deploy.add_argument(
        "--callback-url", default="", help="its address for targets that answer later (default: the one for people)"
    )
    deploy.add_argument("--functions", type=Path, help="folder to deploy (default: the result of 'bundle')")
    deploy.add_argument("--record", action="store_true", help="let the command line and 'logs' use this stack")
    logs = commands.add_parser("logs", help="follow the functions' logs")
    logs.add_argument("--back", type=float, default=60, help="start this many seconds ago (default 60)")
    logs.add_argument("--run", default="", help="only lines about runs whose id begins with this")
    logs.add_argument("--job", default="", help="only lines about this job: namespace/name")
    logs.add_argument("--function", default="", help="only functions whose name begins with this, such as tick")
    return parser.parse_args()


def _info(workspace: Workspace) -> StackInfo:
    info = StackInfo.load(workspace.info_file)
    if info is None:
        raise LocalStackError("This checkout has no local stack yet. Run: make up")
    return info


if __name__ == "__main__":
    sys.exit(main())
