"""Whether the functions can be imported at all, asked before they are deployed: an emulator takes any code, and says nothing."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from localstack.errors import LocalStackError
from localstack.ministack import REGION
from localstack.place import Place

PATIENCE = 60.0
"""Seconds that all the imports may take."""
_IMPORT_ALL = """
import importlib, json, os, sys, traceback
failed = {}
for name, handler, environment in json.load(sys.stdin):
    os.environ.update(environment)
    module, _, attribute = handler.rpartition(".")
    try:
        getattr(importlib.import_module(module), attribute)
    except BaseException as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename][1:]
        what = traceback.format_exception_only(error)
        where = [] if isinstance(error, SyntaxError) else traceback.format_list(frames[-1:])  # what names its own place
        failed[name] = "".join(where + what), "".join(traceback.format_list(frames[-3:]) + what)
print()
print(json.dumps(failed))
"""


@dataclass(frozen=True, kw_only=True)
class Handler:
    """A function of the template: its logical name, what Lambda imports for it, and the environment it has then."""

    function: str
    path: str
    environment: Mapping[str, str]


class _Template(yaml.SafeLoader):
    """Reads a template; a reference to a parameter is kept, and every other intrinsic function is only known to be one."""


class _Unknown(str):
    """What CloudFormation fills in, and nobody knows before."""

    __slots__ = ()


class _Reference(_Unknown):
    """``!Ref``; the text is the name of what it stands for."""

    __slots__ = ()


_Template.add_multi_constructor("!", lambda _loader, suffix, _node: _Unknown(suffix))
_Template.add_constructor("!Ref", lambda _loader, node: _Reference(node.value))


def handlers(place: Place, parameters: Mapping[str, str]) -> list[Handler]:
    """The functions of the place's template, deployed with these parameters."""
    template = yaml.load((place.checkout / "template.yaml").read_text(encoding="utf-8"), _Template)  # noqa: S506 (a SafeLoader)
    defaults = {name: str(given["Default"]) for name, given in template["Parameters"].items() if "Default" in given}
    values = defaults | dict(parameters)
    shared = _variables(template["Globals"]["Function"])
    return [
        Handler(
            function=name,
            path=resource["Properties"]["Handler"],
            environment=dict(_filled(shared | _variables(resource["Properties"]), values)),
        )
        for name, resource in template["Resources"].items()
        if resource["Type"] == "AWS::Serverless::Function"
    ]


def check_handlers(place: Place, parameters: Mapping[str, str]) -> None:
    """Import every handler, in a process of its own. Raises ``LocalStackError`` with the end of the traceback."""
    there = handlers(place, parameters)
    asked = json.dumps([(handler.function, handler.path, handler.environment) for handler in there])
    try:
        done = subprocess.run(
            [sys.executable, "-c", _IMPORT_ALL],
            input=asked,
            env=_environment(place),
            cwd=place.functions,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        raise LocalStackError(
            f"Importing the functions takes more than {PATIENCE:.0f} s; nothing was changed."
        ) from None
    try:
        failed: dict[str, tuple[str, str]] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        raise LocalStackError(
            f"Importing the functions ended Python with status {done.returncode}; nothing was changed.\n{done.stderr.strip()}"
        ) from None
    if failed:
        raise LocalStackError(_told(failed, {handler.function: handler.path for handler in there}))


def _told(failed: Mapping[str, tuple[str, str]], paths: Mapping[str, str]) -> str:
    """For each cause, the functions that it keeps from being imported, and how the first of them came upon it."""
    by_cause: dict[str, list[str]] = {}
    for function, (cause, _) in failed.items():
        by_cause.setdefault(cause, []).append(function)
    parts = [
        f"{', '.join(f'{name} ({paths[name]})' for name in functions)} cannot be imported:\n{failed[functions[0]][1].rstrip()}"
        for functions in by_cause.values()
    ]
    return "\n\n".join(
        [*parts, "Nothing was deployed, and what was running is as it was. Mend it, then: make up"],
    )


def _variables(properties: Mapping[str, Any]) -> dict[str, Any]:
    return dict(properties.get("Environment", {}).get("Variables", {}))


def _filled(variables: Mapping[str, Any], values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in variables.items():
        if isinstance(value, _Reference) and value in values:
            yield name, values[value]
        else:
            yield name, f"{value}"


def _environment(place: Place) -> dict[str, str]:
    """As little as the emulator gives to functions; the code under test comes before what is installed."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL") if name in os.environ}
    return kept | {
        "PYTHONPATH": str(place.functions),
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
