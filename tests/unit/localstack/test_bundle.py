"""The bundle for emulators in containers."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from localstack import bundle
from localstack.errors import LocalStackError
from localstack.workspace import CHECKOUT, Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    code = tmp_path / "functions" / "minutehand"
    (code / "__pycache__").mkdir(parents=True)
    (code / "tick.py").write_text("print('tick')\n")
    (code / "__pycache__" / "tick.pyc").write_text("compiled")
    (code / "tools").mkdir()
    (code / "tools" / "costs.py").write_text("")
    return Workspace(checkout=tmp_path, state=tmp_path / ".minutehand")


def _installer(monkeypatch: pytest.MonkeyPatch, *, status: int = 0) -> None:
    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        target = next(part.partition("=")[2] for part in command if part.startswith("--target="))
        (Path(target) / "pydantic").mkdir()
        return subprocess.CompletedProcess(command, status, "", "no such wheel\n")

    monkeypatch.setattr(bundle.subprocess, "run", run)


@pytest.mark.parametrize(
    ("machine", "platform"),
    [("x86_64", "x86_64"), ("AMD64", "x86_64"), ("arm64", "aarch64"), ("aarch64", "aarch64")],
)
def test_wheels_are_for_the_containers_processor_and_python(workspace: Workspace, machine: str, platform: str) -> None:
    command = bundle.install_command(workspace, workspace.bundle, machine)
    assert f"--python-platform={platform}-manylinux_2_28" in command
    assert "--python-version=3.13" in command


def test_only_locked_packages_are_installed_and_none_is_built() -> None:
    command = bundle.install_command(Workspace(), Path("bundle"))
    assert {"--require-hashes", "--no-deps", "--only-binary=:all:"} <= set(command)
    assert f"--requirement={CHECKOUT / 'functions' / 'requirements.txt'}" in command


def test_a_bundle_holds_our_code_and_the_installed_packages(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    _installer(monkeypatch)
    bundle.make_bundle(workspace, workspace.bundle)
    files = {path.relative_to(workspace.bundle).as_posix() for path in workspace.bundle.rglob("*")}
    assert files == {"minutehand", "minutehand/tick.py", "pydantic"}


def test_a_new_bundle_holds_nothing_of_the_last_one(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    _installer(monkeypatch)
    bundle.make_bundle(workspace, workspace.bundle)
    (workspace.bundle / "old.py").write_text("")
    bundle.make_bundle(workspace, workspace.bundle)
    assert not (workspace.bundle / "old.py").exists()


def test_if_the_installer_fails_the_last_bundle_stays_and_its_output_is_shown(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    _installer(monkeypatch)
    bundle.make_bundle(workspace, workspace.bundle)
    _installer(monkeypatch, status=1)
    with pytest.raises(LocalStackError, match="could not be installed:\nno such wheel"):
        bundle.make_bundle(workspace, workspace.bundle)
    assert (workspace.bundle / "minutehand" / "tick.py").exists()
