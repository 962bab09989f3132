"""The bundle for emulators in containers."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from localstack import bundle
from localstack.errors import LocalStackError
from localstack.place import CHECKOUT, Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    code = tmp_path / "functions" / "minutehand"
    (code / "__pycache__").mkdir(parents=True)
    (code / "tick.py").write_text("print('tick')\n")
    (code / "__pycache__" / "tick.pyc").write_text("compiled")
    (code / "tools").mkdir()
    (code / "tools" / "costs.py").write_text("")
    return Place(checkout=tmp_path, state=tmp_path / ".minutehand")


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
def test_wheels_are_those_of_the_containers_processor_and_python(place: Place, machine: str, platform: str) -> None:
    command = bundle.install_command(place, place.bundle, machine)
    assert f"--python-platform={platform}-manylinux_2_28" in command
    assert "--python-version=3.13" in command


def test_only_what_is_locked_is_installed_and_nothing_is_built() -> None:
    command = bundle.install_command(Place(), Path("there"))
    assert {"--require-hashes", "--no-deps", "--only-binary=:all:"} <= set(command)
    assert f"--requirement={CHECKOUT / 'functions' / 'requirements.txt'}" in command


def test_a_bundle_is_our_code_beside_what_was_installed(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    _installer(monkeypatch)
    bundle.make_bundle(place, place.bundle)
    there = {path.relative_to(place.bundle).as_posix() for path in place.bundle.rglob("*")}
    assert there == {"minutehand", "minutehand/tick.py", "pydantic"}


def test_a_bundle_made_again_holds_nothing_of_the_last_one(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    _installer(monkeypatch)
    bundle.make_bundle(place, place.bundle)
    (place.bundle / "old.py").write_text("")
    bundle.make_bundle(place, place.bundle)
    assert not (place.bundle / "old.py").exists()


def test_when_the_installer_fails_the_last_bundle_stays_and_its_words_are_told(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    _installer(monkeypatch)
    bundle.make_bundle(place, place.bundle)
    _installer(monkeypatch, status=1)
    with pytest.raises(LocalStackError, match="could not be installed:\nno such wheel"):
        bundle.make_bundle(place, place.bundle)
    assert (place.bundle / "minutehand" / "tick.py").exists()
