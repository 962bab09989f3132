"""Import every function before a deployment: an emulator accepts broken code without an error."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from infra.template import load

from localstack.errors import LocalStackError
from localstack.ministack import REGION
from localstack.workspace import Workspace

TIMEOUT = 60.0
"""Seconds for all imports together."""
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
        where = [] if isinstance(error, SyntaxError) else traceback.format_list(frames[-1:])  # a SyntaxError names its own line
        failed[name] = "".join(where + what), "".join(traceback.format_list(frames[-3:]) + what)
print()
print(json.dumps(failed))
"""


@dataclass(frozen=True, kw_only=True)
class Handler:
    """A function of the template: its logical name, the path that Lambda imports, and its environment."""

    function: str
    path: str
    environment: Mapping[str, str]


def handlers(workspace: Workspace, parameters: Mapping[str, str]) -> list[Handler]:
    """The functions of the template, with these parameters. Each value that only a deployment gives is some text."""
    template = load(workspace.checkout / "template.yaml")
    defaults = {name: str(one["Default"]) for name, one in template["Parameters"].items() if "Default" in one}
    values = defaults | dict(parameters)
    shared = _variables(template["Globals"]["Function"])
    return [
        Handler(
            function=name,
            path=resource["Properties"]["Handler"],
            environment=dict(_resolved(shared | _variables(resource["Properties"]), values)),
        )
        for name, resource in template["Resources"].items()
        if resource["Type"] == "AWS::Serverless::Function"
    ]


def check_imports(workspace: Workspace, parameters: Mapping[str, str]) -> None:
    """Import every handler in a new process. Raises ``LocalStackError`` with the end of each different traceback."""
    found = handlers(workspace, parameters)
    try:
        done = subprocess.run(
            [sys.executable, "-c", _IMPORT_ALL],
            input=json.dumps([(handler.function, handler.path, handler.environment) for handler in found]),
            env=_environment(workspace),
            cwd=workspace.functions,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        raise LocalStackError(
            f"Importing the functions takes more than {TIMEOUT:.0f} s. Nothing was changed."
        ) from None
    try:
        failed: dict[str, tuple[str, str]] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        raise LocalStackError(
            f"Python exited with status {done.returncode} while importing the functions. Nothing was changed.\n{done.stderr.strip()}"
        ) from None
    if failed:
        raise LocalStackError(_message(failed, {handler.function: handler.path for handler in found}))


def _message(failed: Mapping[str, tuple[str, str]], paths: Mapping[str, str]) -> str:
    """One paragraph for each cause: the functions that it breaks, and the traceback of the first."""
    by_cause: dict[str, list[str]] = {}
    for function, (cause, _) in failed.items():
        by_cause.setdefault(cause, []).append(function)
    parts = [
        f"{', '.join(f'{name} ({paths[name]})' for name in functions)} cannot be imported:\n{failed[functions[0]][1].rstrip()}"
        for functions in by_cause.values()
    ]
    return "\n\n".join([*parts, "Nothing was deployed; a running stack is unchanged. Fix the code and run: make up"])


def _variables(properties: Mapping[str, Any]) -> dict[str, Any]:
    return dict(properties.get("Environment", {}).get("Variables", {}))


def _resolved(variables: Mapping[str, Any], values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in variables.items():
        if isinstance(value, dict) and value.get("Ref") in values:
            yield name, values[value["Ref"]]
        else:
            yield name, f"{value}"


def _environment(workspace: Workspace) -> dict[str, str]:
    """The environment for the imports, as small as the one that the emulator gives functions. The workspace's code comes first."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL") if name in os.environ}
    return kept | {
        "PYTHONPATH": str(workspace.functions),
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
