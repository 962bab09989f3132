"""``python -m infra.deploy build | deploy``; see ``make help``."""

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path

from infra.deploy import account, choices, parameters, sam, snapstart, stacks
from infra.deploy.choices import DEFAULT_STACK, Choices
from infra.deploy.errors import DeployError

CHECKOUT = Path(__file__).parents[2]
LOCAL = "samconfig.local.toml"


def main(checkout: Path = CHECKOUT) -> int:
    """Run one command; returns the exit status."""
    given = _arguments()
    try:
        kept = choices.load(checkout / LOCAL, given.env)
        wanted = Choices(
            stack=given.stack,
            region=given.region,
            profile=given.profile,
            parameters=parameters.parse(given.parameters),
            tags=parameters.parse(given.tags),
            snapstart=given.snapstart,
        ).over(kept)
        template = parameters.load(checkout / "template.yaml")
        parameters.check(template, wanted.parameters)
        if given.command == "build":
            _build(checkout, wanted, container=given.container)
        else:
            _deploy(checkout, wanted, first=kept == Choices(), given=given)
    except DeployError as error:
        print(f"error: {error}", file=sys.stderr)
        for line in error.how:
            print(f"  {line}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, EOFError):
        print("\nNothing more is done.", file=sys.stderr)
        return 130
    return 0


def _deploy(checkout: Path, wanted: Choices, *, first: bool, given: argparse.Namespace) -> None:
    ask = not given.yes
    if ask and not sys.stdin.isatty():
        raise DeployError(
            "There is nobody to ask.", how=["Without a terminal, say what to do: make deploy YES=1 STACK=… REGION=…"]
        )
    session = account.session(wanted.profile)
    region_here = session.region_name or ""
    if first and ask:
        wanted = _questions(wanted, region_here)
        parameters.check(parameters.load(checkout / "template.yaml"), wanted.parameters)
    wanted = replace(
        wanted,
        stack=wanted.stack or DEFAULT_STACK,
        region=account.check_region(session, wanted.region or region_here),
    )
    where = account.identify(session, wanted.region)
    fate = stacks.look(where, wanted.stack)
    print(f"  account     {where.number}, as {where.caller}")
    print(f"  region      {where.region}" + (f" (not {region_here})" if region_here not in {"", where.region} else ""))
    print(f"  stack       {wanted.stack}, which {fate}")
    for label, pairs in (("parameters", wanted.parameters), ("tags", wanted.tags)):
        print(
            f"  {label:<11} {' '.join(f'{name}={value}' for name, value in pairs.items()) or 'none given'}", flush=True
        )
    if wanted.snapstart == "on":
        print("  snapstart   on: the functions of the API start from snapshots", flush=True)
    if ask and input("Build and deploy there? [y/N] ").strip().lower() not in {"y", "yes"}:
        raise DeployError("Nothing was done.", how=["STACK=, REGION=, PROFILE= and PARAMETERS= say it differently."])
    if ask:
        choices.save(checkout / LOCAL, given.env, wanted)
    _build(checkout, wanted, container=given.container)
    if not sam.deploy(checkout, wanted, ask=ask):
        raise stacks.explain(where, wanted.stack)
    outputs = where.cloudformation.describe_stacks(StackName=wanted.stack)["Stacks"][0].get("Outputs", [])
    told = {output["OutputKey"]: output["OutputValue"] for output in outputs}
    if "ApiUrl" in told:
        print(
            f"\nAPI    {told['ApiUrl']}\ntoken  in the secret {told['AdminTokenSecret']}; docs/how-to/deploy.md goes on from here"
        )


def _build(checkout: Path, wanted: Choices, *, container: bool) -> None:
    sam.build(checkout, wanted.parameters, container=container)
    if wanted.snapstart == "on":
        snapstart.apply(checkout / sam.BUILT, wanted.parameters)


def _questions(wanted: Choices, region_here: str) -> Choices:
    print(f"The answers are kept in {LOCAL}; an empty one takes what is in brackets.")
    stack = wanted.stack or _answer("Name of the stack", DEFAULT_STACK)
    region = wanted.region or _answer("Region", region_here)
    given = dict(wanted.parameters)
    if not {"AlarmEmail", "AlarmTopicArn"} & given.keys() and (email := _answer("E-mail address for alarms", "")):
        given["AlarmEmail"] = email
    return replace(wanted, stack=stack, region=region, parameters=given)


def _answer(question: str, default: str) -> str:
    return input(f"{question} [{default or 'none'}] ").strip() or default


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m infra.deploy", description="Minutehand in an AWS account.")
    parser.add_argument("command", choices=["build", "deploy"])
    parser.add_argument("--env", default="default", help=f"which table of {LOCAL} is meant")
    parser.add_argument("--stack", default="", help=f"name of the stack (else: as last time, else {DEFAULT_STACK})")
    parser.add_argument("--region", default="", help="AWS region (else: as last time, else the profile's)")
    parser.add_argument("--profile", default="", help="AWS profile")
    parser.add_argument("--parameters", default="", help="'Name=value Name=value', over those of last time")
    parser.add_argument("--tags", default="", help="'name=value name=value', on everything that has tags")
    parser.add_argument(
        "--snapstart", default="", choices=["on", "off"], help="whether the functions of the API start from snapshots"
    )
    parser.add_argument("--container", action="store_true", help="build in Docker, where Python 3.13 is missing")
    parser.add_argument("--yes", action="store_true", default=os.environ.get("CI") == "true", help="ask nothing")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
