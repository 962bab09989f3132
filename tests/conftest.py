"""Which tests keep together when the suite is spread over processes (`pytest --numprocesses auto --dist loadscope`)."""

from __future__ import annotations

import os
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

TOGETHER = {"contract": "services", "integration": "services", "privilege": "services", "e2e": "e2e"}
"""Folders whose tests start servers once for them all, and see by the clock what these do; and with whom they keep together."""
APART = {"tests/e2e/test_sam.py"}
"""Files there that have servers of their own, and take minutes."""
PATIENT = {"simulation", "unit"}
"""Folders that come last and start none."""


class BySubject(LoadScopeScheduling):
    """A process takes all that shares servers; a file's tests go together to whoever is free, simulated histories one by one.

    The mark `xdist_group` would say it too, but xdist 3.8 passes over it under pytest 9.2.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        folder = file.split("/")[1]
        if folder in TOGETHER and file not in APART:
            return TOGETHER[folder]
        return nodeid if folder == "simulation" else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> BySubject | None:
    """Only where files are kept together at all: `make test-fast` has no servers, and spreads test by test."""
    return BySubject(config, log) if _kept_together(config) else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """One more than there are cores where servers are: those who have them wait for them much of the time."""
    return (os.cpu_count() or 1) + 1 if _kept_together(config) else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Whoever among several has servers begins with them; from then on one works where those that still have some leave room."""
    if "PYTEST_XDIST_WORKER" in os.environ and item.nodeid.split("/")[1] in PATIENT and os.nice(0) == 0:
        os.nice(10)


def _kept_together(config: pytest.Config) -> bool:
    return bool(config.getvalue("dist") == "loadscope")
