"""What is made of the SAM CLI's build."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from infra.deploy import sam


def test_what_was_built_holds_neither_the_command_line_nor_the_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = tmp_path / sam.BUILT

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        for name in ("TickFunction", "WorkerFunction"):
            for package in ("cli", "client", "tools", "domain"):
                (built / name / "minutehand" / package).mkdir(parents=True)
        (built / "template.yaml").write_text("Resources: {}\n")
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(sam.subprocess, "run", run)
    sam.build(tmp_path, {}, container=True)
    kept = {path.relative_to(built).as_posix() for path in built.glob("*/minutehand/*")}
    assert kept == {"TickFunction/minutehand/domain", "WorkerFunction/minutehand/domain"}
