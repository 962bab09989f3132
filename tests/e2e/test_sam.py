"""`make deploy` to an emulator: the real SAM CLI, and the Python of AWS."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import urllib3
from infra.deploy.python313 import find
from infra.deploy.snapstart import ALIAS
from localstack.clients import Clients
from localstack.echo import EchoServer
from localstack.first_token import admin_token
from localstack.ministack import PROGRAM, REGION, MiniStack
from localstack.ports import next_free
from localstack.processes import stop
from localstack.workarounds import allow_batch_actions, ignore_null_conditions
from localstack.workspace import Workspace

from minutehand.client import Client
from tests.e2e.conftest import eventually, root
from tests.support.needs import not_run

STACK = "minutehand-sam"
ARCHITECTURE = {"arm64": "arm64", "aarch64": "arm64"}.get(platform.machine(), "x86_64")
PARAMETERS = f"Architecture={ARCHITECTURE} AllowLoopbackTargets=true LookAheadSeconds=60"
COPIED = ("template.yaml", "samconfig.toml", "infra", "functions")

pytestmark = [pytest.mark.services, pytest.mark.timeout(400)]


@dataclass(frozen=True)
class Output:
    status: int
    text: str


class Account:
    """An account of the emulator, and a copy of the checkout to deploy from."""

    def __init__(self, checkout: Path, emulator: MiniStack) -> None:
        self.checkout = checkout
        self.emulator = emulator
        self.clients = Clients(emulator.endpoint_url)

    def deploy(
        self, *, stack: str = STACK, parameters: str = PARAMETERS, region: str = REGION, snapstart: str = ""
    ) -> Output:
        """Run `make deploy` as CI would."""
        arguments = {"--stack": stack, "--region": region, "--parameters": parameters, "--tags": "team=platform"}
        arguments |= {"--snapstart": snapstart} if snapstart else {}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        ran = subprocess.run(
            [sys.executable, "-m", "infra.deploy", "deploy", "--yes", *chain.from_iterable(arguments.items())],
            cwd=self.checkout,
            env=kept
            | {
                "AWS_ENDPOINT_URL": self.emulator.endpoint_url,
                "AWS_ACCESS_KEY_ID": "test",
                "AWS_SECRET_ACCESS_KEY": "test",
                "AWS_CONFIG_FILE": os.devnull,
                "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
                "AWS_EC2_METADATA_DISABLED": "true",
                "NO_PROXY": "127.0.0.1",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.returncode == 0:
            functions = [name for output, name in self.outputs(stack).items() if output.endswith("Function")]
            allow_batch_actions(self.clients, functions)
            ignore_null_conditions(self.clients, functions)
        return Output(ran.returncode, ran.stdout + ran.stderr)

    def delete(self, stack: str) -> None:
        cloudformation = self.clients.cloudformation
        stack_id = cloudformation.describe_stacks(StackName=stack)["Stacks"][0]["StackId"]
        cloudformation.delete_stack(StackName=stack)
        eventually(
            lambda: cloudformation.describe_stacks(StackName=stack_id)["Stacks"][0]["StackStatus"] == "DELETE_COMPLETE",
            seconds=60,
            what="the stack is deleted",
        )

    def outputs(self, stack: str = STACK) -> dict[str, str]:
        described = self.clients.cloudformation.describe_stacks(StackName=stack)["Stacks"][0]
        return {output["OutputKey"]: output["OutputValue"] for output in described["Outputs"]}

    def url(self, stack: str = STACK) -> str:
        address = urlsplit(self.outputs(stack)["ApiUrl"])
        return f"{self.emulator.endpoint_url}/_aws/execute-api/{address.netloc.partition('.')[0]}{address.path}"

    def health(self) -> str:
        return urllib3.request("GET", f"{self.url()}/v1/health", retries=False, timeout=60).data.decode()


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    if find() is None:
        not_run("python3.13, on PATH, under pyenv or named by PYTHON313")
    make = subprocess.run(
        [shutil.which("make") or "make", ".venv-313/.installed", ".venv-sam/.installed"],
        cwd=root(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert make.returncode == 0, make.stdout + make.stderr
    checkout = tmp_path_factory.mktemp("checkout")
    for name in COPIED:
        source = root() / name
        if source.is_dir():
            shutil.copytree(source, checkout / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, checkout / name)
    (checkout / ".venv-sam").symlink_to(root() / ".venv-sam")
    workspace = Workspace(checkout=checkout, state=tmp_path_factory.mktemp("state"))
    emulator = MiniStack(workspace=workspace, port=next_free(4800), python=str(root() / ".venv-313" / "bin" / "python"))
    try:
        emulator.start()
        yield Account(checkout, emulator)
    finally:
        stop(workspace.pid_file(PROGRAM), timeout=60)


def test_the_sam_build_is_deployed_runs_jobs_and_is_updated_and_deleted(
    account: Account, target: EchoServer, namespace: str
) -> None:
    first = account.deploy()
    assert first.status == 0, first.text
    for line in ("account     000000000000", f"region      {REGION}", f"{STACK}, which does not exist yet"):
        assert line in first.text
    assert (
        "python3.13"
        in account.clients.functions.get_function_configuration(FunctionName=account.outputs()["ApiFunction"])[
            "Runtime"
        ]
    )

    token = admin_token(account.clients, account.outputs())
    with Client(account.url(), token) as client:
        client.apply_job(
            {
                "namespace": namespace,
                "name": "job",
                "schedule": "*/5 * * * * *",
                "target": {"type": "http", "method": "POST", "url": f"{target.url}/beat"},
            }
        )
        eventually(
            lambda: [run for run in client.runs(f"{namespace}/job") if run["state"] == "succeeded"],
            seconds=60,
            what="a run that succeeded",
        )
    assert target.calls
    worker = account.clients.functions.get_function(FunctionName=account.outputs()["HttpWorkerFunction"])
    assert worker["Tags"]["team"] == "platform"

    unchanged = account.deploy()
    assert unchanged.status == 0, unchanged.text
    assert "which exists and will be updated" in unchanged.text
    assert "No changes to deploy" in unchanged.text

    app = account.checkout / "functions" / "minutehand" / "entrypoints" / "api" / "endpoints" / "service.py"
    app.write_text(app.read_text().replace('"ok"', '"ok, and changed"'))
    assert "ok, and changed" not in account.health()
    changed = account.deploy()
    assert changed.status == 0, changed.text
    assert "ok, and changed" in account.health()

    parameters = account.clients.parameters
    assert parameters.get_parameters(Names=[f"/minutehand/{STACK}/admin-token"])["Parameters"]
    account.delete(STACK)
    assert not parameters.get_parameters(Names=[f"/minutehand/{STACK}/admin-token"])["Parameters"]


@pytest.mark.timeout(600)
def test_with_snapstart_every_change_reaches_the_versions_that_the_api_calls(account: Account, namespace: str) -> None:
    stack, functions = "minutehand-snapstart", account.clients.functions
    first = account.deploy(stack=stack, snapstart="on")
    assert first.status == 0, first.text
    assert "the functions of the API start from snapshots" in first.text
    outputs = account.outputs(stack)
    token = admin_token(account.clients, outputs)
    job = {
        "namespace": namespace,
        "name": "job",
        "schedule": "0 0 1 1 *",
        "target": {"type": "http", "url": "http://127.0.0.1:9"},
    }

    def alias(output: str) -> dict[str, Any]:
        """The configuration of a function's version that the API calls."""
        name = outputs[output]
        version = functions.get_alias(FunctionName=name, Name=ALIAS)["FunctionVersion"]
        return dict(functions.get_function_configuration(FunctionName=name, Qualifier=version))

    with Client(account.url(stack), token) as client:
        client.apply_job(job)  # by way of the authorizer
    before = {output: alias(output) for output in ("ApiFunction", "AuthorizerFunction")}
    assert {one["SnapStart"]["OptimizationStatus"] for one in before.values()} == {"On"}
    assert functions.get_function_configuration(FunctionName=outputs["TickFunction"])["SnapStart"]["ApplyOn"] == "None"

    changed = account.deploy(stack=stack, snapstart="on", parameters=f"{PARAMETERS} RunRetentionDays=7")
    assert changed.status == 0, changed.text
    after = alias("ApiFunction")
    assert after["Version"] != before["ApiFunction"]["Version"]
    assert after["Environment"]["Variables"]["RUN_RETENTION_DAYS"] == "7"
    with Client(account.url(stack), token) as client:
        client.apply_job(job | {"name": "younger"})
        assert client.get_job(f"{namespace}/younger")["retention"] == "7d"
    kept = functions.list_versions_by_function(FunctionName=outputs["ApiFunction"])["Versions"]
    assert {one["Version"] for one in kept} == {"$LATEST", after["Version"]}

    account.delete(stack)


def test_sam_validates_the_template(account: Account) -> None:
    ran = subprocess.run(
        [account.checkout / ".venv-sam" / "bin" / "sam", "validate", "--lint"],
        cwd=account.checkout,
        env=dict(os.environ) | {"SAM_CLI_TELEMETRY": "0", "AWS_DEFAULT_REGION": REGION},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "is a valid SAM Template" in ran.stdout + ran.stderr


def test_a_stack_of_another_project_is_left_unchanged(account: Account) -> None:
    account.clients.cloudformation.create_stack(
        StackName="taken", TemplateBody='{"Description": "Payroll", "Resources": {"Q": {"Type": "AWS::SQS::Queue"}}}'
    )
    output = account.deploy(stack="taken")
    assert output.status == 1
    assert "by a stack that is not Minutehand's: Payroll" in output.text
    assert "make deploy STACK=" in output.text
