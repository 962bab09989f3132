"""``python -m infra.deploy build | deploy``; see ``make help``."""

import argparse
import os
import sys
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from infra.deploy import access_logs, account, concurrency, functions, parameters, sam, snapstart, stacks
from infra.deploy.errors import DeployError
from infra.deploy.settings import DEFAULT_STACK, Settings, load_settings, save_settings
from infra.template import load

CHECKOUT = Path(__file__).parents[2]
LOCAL = "samconfig.local.toml"


def main(checkout: Path = CHECKOUT) -> int:
    """Run one command; returns the exit status."""
    given = _arguments()
    try:
        saved = load_settings(checkout / LOCAL, given.env)
        settings = Settings(
            stack=given.stack,
            region=given.region,
            profile=given.profile,
            parameters=parameters.parse(given.parameters),
            tags=parameters.parse(given.tags),
            snapstart=given.snapstart,
        ).over(saved)
        _check(checkout, settings)
        if given.command == "build":
            _build(checkout, settings, container=given.container)
        else:
            _deploy(checkout, settings, first=saved == Settings(), given=given)
    except DeployError as error:
        print(f"error: {error}", file=sys.stderr)
        for line in error.hints:
            print(f"  {line}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, EOFError):
        print("\nInterrupted.", file=sys.stderr)
        return 130
    return 0


def _deploy(checkout: Path, settings: Settings, *, first: bool, given: argparse.Namespace) -> None:
    ask = not given.yes
    if ask and not sys.stdin.isatty():
        raise DeployError(
            "There is no terminal to ask.", hints=["Confirm in the command: make deploy YES=1 STACK=… REGION=…"]
        )
    session = account.session(settings.profile)
    profile_region = session.region_name or ""
    if first and ask:
        settings = _questions(settings, profile_region)
        _check(checkout, settings)
    settings = replace(
        settings,
        stack=settings.stack or DEFAULT_STACK,
        region=account.check_region(session, settings.region or profile_region),
    )
    aws = account.identify(session, settings.region)
    plan = stacks.plan(aws, settings.stack)
    access_logs.check_role(session, aws, settings.parameters)
    room = concurrency.make_room(session, aws.region, load(checkout / "template.yaml"), settings.parameters)
    print(f"  account     {aws.number}, as {aws.caller}")
    print(
        f"  region      {aws.region}" + (f" (not {profile_region})" if profile_region not in {"", aws.region} else "")
    )
    print(f"  stack       {settings.stack}, which {plan}")
    for label, pairs in (("parameters", settings.parameters), ("tags", settings.tags)):
        print(f"  {label:<11} {' '.join(f'{name}={value}' for name, value in pairs.items()) or 'none'}", flush=True)
    for label, line in zip_longest(("concurrency",), room.lines, fillvalue=""):
        print(f"  {label:<11} {line}", flush=True)
    if settings.snapstart == "on":
        print("  snapstart   on: the functions of the API start from snapshots", flush=True)
    if ask and input("Build and deploy there? [y/N] ").strip().lower() not in {"y", "yes"}:
        raise DeployError(
            "Nothing was deployed.", hints=["Change the settings with STACK=, REGION=, PROFILE= and PARAMETERS=."]
        )
    if ask:
        save_settings(checkout / LOCAL, given.env, settings)
    settings = replace(settings, parameters=room.parameters)  # not saved: the quota may be raised
    _build(checkout, settings, container=given.container)
    if not sam.deploy(checkout, settings, ask=ask):
        raise stacks.explain(aws, settings.stack)
    outputs = aws.cloudformation.describe_stacks(StackName=settings.stack)["Stacks"][0].get("Outputs", [])
    values = {output["OutputKey"]: output["OutputValue"] for output in outputs}
    if "ApiUrl" in values:
        print(
            f"\nAPI    {values['ApiUrl']}"
            f"\ntoken  aws ssm get-parameter --name {values['AdminTokenParameter']} --with-decryption --query Parameter.Value --output text"
            "\nnext   docs/how-to/deploy.md"
        )


def _check(checkout: Path, settings: Settings) -> None:
    template = load(checkout / "template.yaml")
    parameters.check(template, settings.parameters)
    functions.check(template, settings.parameters, settings.stack or DEFAULT_STACK)


def _build(checkout: Path, settings: Settings, *, container: bool) -> None:
    sam.build(checkout, settings.parameters, container=container)
    if settings.snapstart == "on":
        snapstart.apply(checkout / sam.BUILT, settings.parameters)


def _questions(settings: Settings, profile_region: str) -> Settings:
    print(f"The answers are kept in {LOCAL}; Enter takes the value in brackets.")
    stack = settings.stack or _answer("Name of the stack", DEFAULT_STACK)
    region = settings.region or _answer("Region", profile_region)
    given = dict(settings.parameters)
    if not {"AlarmEmail", "AlarmTopicArn"} & given.keys() and (email := _answer("E-mail address for alarms", "")):
        given["AlarmEmail"] = email
    return replace(settings, stack=stack, region=region, parameters=given)


def _answer(question: str, default: str) -> str:
    return input(f"{question} [{default or 'none'}] ").strip() or default


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m infra.deploy", description="Build Minutehand and deploy it to an AWS account."
    )
    parser.add_argument("command", choices=["build", "deploy"])
    parser.add_argument("--env", default="default", help=f"table of {LOCAL} (default: default)")
    parser.add_argument(
        "--stack", default="", help=f"name of the stack (default: the last one, or else {DEFAULT_STACK})"
    )
    parser.add_argument("--region", default="", help="AWS region (default: the last one, or else the profile's)")
    parser.add_argument("--profile", default="", help="AWS profile")
    parser.add_argument("--parameters", default="", help="'Name=value Name=value', in addition to the last ones")
    parser.add_argument("--tags", default="", help="'name=value name=value', for every resource with tags")
    parser.add_argument(
        "--snapstart", default="", choices=["on", "off"], help="whether the functions of the API start from snapshots"
    )
    parser.add_argument("--container", action="store_true", help="build in Docker, for a machine without Python 3.13")
    parser.add_argument(
        "--yes", action="store_true", default=os.environ.get("CI") == "true", help="do not ask for confirmation"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
