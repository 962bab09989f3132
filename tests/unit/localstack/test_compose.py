"""The compose files and the ready hook, as far as they can be checked without Docker."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from localstack.bundle import PYTHON
from localstack.workspace import CHECKOUT

from tests.support.http_server import Canned, HttpServer
from tests.support.needs import not_run

COMPOSE = CHECKOUT / "localstack" / "compose"
FILES = sorted(COMPOSE.glob("*.yaml"))
HOOK = COMPOSE / "ready.d" / "minutehand.sh"
HEALTH = COMPOSE / "health.py"
DOCKER = "/var/run/docker.sock"
TOP = {"name", "services", "networks"}
SERVICE = {
    "image",
    "command",
    "working_dir",
    "environment",
    "ports",
    "volumes",
    "networks",
    "depends_on",
    "healthcheck",
}
HEALTHCHECK = {"test", "interval", "timeout", "retries"}


def _read(path: Path) -> dict[str, Any]:
    """A compose file with its variables' defaults, as compose reads it if none is set."""
    text = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", path.read_text(encoding="utf-8"))
    document = yaml.safe_load(text)
    assert "${" not in text, "a variable without a default would stop the first start"
    assert isinstance(document, dict)
    return document


def _services() -> list[Any]:
    return [
        pytest.param(service, id=f"{path.stem}-{name}")
        for path in FILES
        for name, service in _read(path)["services"].items()
    ]


def _environment(service: dict[str, Any]) -> dict[str, str]:
    given = service.get("environment", {})
    if isinstance(given, dict):
        return given
    return {name: value for name, _, value in (entry.partition("=") for entry in given)}


def test_each_emulator_has_a_file() -> None:
    assert [path.stem for path in FILES] == ["localstack", "ministack"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_has_only_keys_of_compose_and_refers_only_to_what_it_declares(path: Path) -> None:
    document = _read(path)
    assert set(document) <= TOP
    assert {"echo", path.stem} == set(document["services"])
    for service in document["services"].values():
        assert set(service) <= SERVICE
        assert set(service.get("healthcheck", {})) <= HEALTHCHECK
        assert set(service.get("networks", [])) <= set(document.get("networks", {}))
        assert set(service.get("depends_on", [])) <= set(document["services"])


@pytest.mark.parametrize("service", _services())
def test_every_port_is_on_loopback_only(service: dict[str, Any]) -> None:
    assert service["ports"]
    assert not [port for port in service["ports"] if not re.fullmatch(r"127\.0\.0\.1:\d+:\d+", port)]


@pytest.mark.parametrize("service", _services())
def test_every_image_has_a_version(service: dict[str, Any]) -> None:
    assert re.fullmatch(r"[a-z]+(/[a-z]+)?:\d+\.\d+(\.\d+)?(-[a-z]+)?", service["image"])


@pytest.mark.parametrize("service", _services())
def test_mounts_are_in_the_checkout_and_read_only(service: dict[str, Any]) -> None:
    for volume in service["volumes"]:
        source, target, *mode = volume.split(":")
        if source == DOCKER:
            continue
        folder = (COMPOSE / source).resolve()
        assert folder.is_dir(), volume
        assert folder.is_relative_to(CHECKOUT), volume
        assert mode == ["ro"], volume
        assert target.startswith(("/opt/minutehand", "/etc/localstack/init/ready.d")), volume


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_health_check_waits_for_the_hook_itself_so_that_one_failure_is_final(path: Path) -> None:
    check = _read(path)["services"][path.stem]["healthcheck"]
    _, python, program, url = check["test"]
    assert python.startswith("python")
    assert CHECKOUT / Path(program).relative_to("/opt/minutehand") == HEALTH
    assert url.startswith("http://127.0.0.1:4566/_")
    assert check["retries"] == 1


def _localstack_report(state: str, *, completed: bool) -> dict[str, Any]:
    return {"completed": completed, "scripts": [{"stage": "READY", "name": "minutehand.sh", "state": state}]}


def _ministack_report(status: str, *, total: int = 1, failed: int = 0) -> dict[str, Any]:
    return {"status": status, "total": total, "completed": 1, "failed": failed, "iot_mtls": "disabled"}


@pytest.mark.parametrize(
    ("reports", "exit_status"),
    [
        ([_localstack_report("SUCCESSFUL", completed=True)], 0),
        ([_localstack_report("RUNNING", completed=False), _localstack_report("SUCCESSFUL", completed=True)], 0),
        ([_localstack_report("ERROR", completed=False)], 1),
        ([{"completed": True, "scripts": []}], 1),
        ([_ministack_report("completed")], 0),
        ([_ministack_report("running", total=0), _ministack_report("completed")], 0),
        ([_ministack_report("completed", failed=1)], 1),
        ([_ministack_report("completed", total=0)], 1),
    ],
)
@pytest.mark.thorough
def test_the_health_check_ends_as_soon_as_the_hook_has_succeeded_or_failed(
    reports: list[dict[str, Any]], exit_status: int
) -> None:
    with HttpServer() as server:
        for report in reports:
            status = 503 if report.get("status") == "running" else 200
            server.canned.append(Canned(status=status, body=json.dumps(report).encode()))
        ran = subprocess.run(
            [sys.executable, "-S", str(HEALTH), server.url], capture_output=True, text=True, check=False, timeout=30
        )
        assert len(server.requests) == len(reports)
    assert (ran.returncode, ran.stderr) == (exit_status, "")
    assert ("failed; its output is in the container's log" in ran.stdout) == bool(exit_status)


def test_localstack_skips_custom_resources_and_polls_every_second() -> None:
    given = _environment(_read(COMPOSE / "localstack.yaml")["services"]["localstack"])
    assert given["CFN_IGNORE_UNSUPPORTED_RESOURCE_TYPES"] == "1"
    assert given["LAMBDA_EVENT_SOURCE_MAPPING_MAX_BACKOFF_ON_EMPTY_POLL_SEC"] == "1"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_targets_in_containers_reach_the_api_for_their_answers_by_the_emulators_name(path: Path) -> None:
    given = _environment(_read(path)["services"][path.stem])
    assert given["MINUTEHAND_CALLBACK_URL"] == f"http://{path.stem}:4566"


def test_the_container_runs_the_same_release_of_ministack_as_the_tests() -> None:
    extras = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    pinned = next(wanted.partition("==")[2] for wanted in extras["dev"] if wanted.startswith("ministack=="))
    assert (
        _read(COMPOSE / "ministack.yaml")["services"]["ministack"]["image"] == f"ministackorg/ministack:{pinned}-full"
    )


def test_the_bundle_is_for_the_runtime_of_the_template() -> None:
    template = (CHECKOUT / "template.yaml").read_text(encoding="utf-8")
    assert f"Runtime: python{PYTHON}\n" in template


def test_localstack_needs_no_account_and_takes_another_release_and_a_token() -> None:
    text = (COMPOSE / "localstack.yaml").read_text(encoding="utf-8")
    assert "image: ${LOCALSTACK_IMAGE:-localstack/localstack:4.14.0}" in text
    assert re.search(r"^ *- LOCALSTACK_AUTH_TOKEN\b(?!=)", text, re.MULTILINE), "passed on only if it is set"


def test_functions_of_localstack_run_in_the_network_of_the_echo_service() -> None:
    document = _read(COMPOSE / "localstack.yaml")
    network = _environment(document["services"]["localstack"])["LAMBDA_DOCKER_NETWORK"]
    assert network == document["networks"]["stack"]["name"]
    assert {service["networks"][0] for service in document["services"].values()} == {"stack"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_hook_reads_the_variables_that_the_files_set(path: Path) -> None:
    given = {name for name in _environment(_read(path)["services"][path.stem]) if name.startswith("MINUTEHAND_")}
    assert given
    assert not [name for name in given if f"${{{name}:-" not in HOOK.read_text(encoding="utf-8")]


def test_the_hook_can_be_run_by_its_first_line_and_by_sh() -> None:
    assert HOOK.read_text(encoding="utf-8").startswith("#!/bin/sh\n")
    assert os.access(HOOK, os.X_OK)


@pytest.mark.parametrize("shell", ["sh", "bash", "dash"])
def test_the_hook_is_valid_in_every_shell(shell: str) -> None:
    found = shutil.which(shell)
    if not found:
        not_run(shell)
    subprocess.run([found, "-n", str(HOOK)], check=True)


def test_the_hook_names_its_setting_if_it_finds_no_python_with_the_packages(tmp_path: Path) -> None:
    shell = shutil.which("sh")
    assert shell
    failed = subprocess.run(
        [shell, str(HOOK)], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert failed.returncode == 1
    assert "MINUTEHAND_PYTHON" in failed.stderr


def test_the_readme_names_every_module_and_only_existing_files() -> None:
    readme = (CHECKOUT / "localstack" / "README.md").read_text(encoding="utf-8")
    modules = {path.name for path in (CHECKOUT / "localstack").glob("[a-z]*.py")}
    assert not {name for name in modules if f"`{name}`" not in readme} - {"errors.py"}
    linked = re.findall(r"\]\(([a-z/.]+)\)", readme) + re.findall(r"`(tests/[a-z_/.]+\.py)`", readme)
    assert linked
    assert not [
        name for name in linked if not (CHECKOUT / name).exists() and not (CHECKOUT / "localstack" / name).exists()
    ]
