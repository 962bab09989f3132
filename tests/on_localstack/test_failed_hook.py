"""A ready hook that fails. This file comes first: only one LocalStack runs at a time."""

from __future__ import annotations

from pathlib import Path

import pytest
from localstack.ports import next_free

from tests.on_localstack.conftest import hook_settings
from tests.on_localstack.emulator import localstack

pytestmark = [pytest.mark.services, pytest.mark.slow]


def test_the_health_check_ends_when_the_hook_has_failed_and_the_log_says_why(installed: None, tmp_path: Path) -> None:
    port, empty = next_free(4690), tmp_path / "empty"
    empty.mkdir()
    folder = tmp_path / "localstack"
    folder.mkdir()
    with localstack(folder, port, hook_settings(port, "http://127.0.0.1:9", empty)) as emulator:
        checked = emulator.check_health()
        assert (checked.returncode, checked.stderr) == (1, "")
        assert "the ready hook failed" in checked.stdout
        assert "holds no functions; make them first: python -m localstack bundle" in emulator.logged()
