"""Tests that need a program which this machine may not have."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def not_run(needs: str) -> NoReturn:
    """Skip the test, and name what it needs. In CI, which has everything, it fails."""
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"not run: needs {needs}")
