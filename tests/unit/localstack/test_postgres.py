"""A private PostgreSQL: what happens without one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from localstack import postgres
from localstack.postgres import PostgresAbsentError


def test_a_machine_without_postgresql_is_told_which_package_has_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(postgres, "_DEBIAN", tmp_path)
    with pytest.raises(PostgresAbsentError, match="apt-get install postgresql"), postgres.postgres():
        pass


def test_the_newest_of_debian_s_releases_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for release in ("9", "15", "11"):
        program = tmp_path / release / "bin" / "postgres"
        program.parent.mkdir(parents=True)
        program.touch()
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(postgres, "_DEBIAN", tmp_path)
    assert postgres._programs() == tmp_path / "15" / "bin"
