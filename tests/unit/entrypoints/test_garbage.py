"""Garbage collection is paused while a function's modules are imported, and only then."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from minutehand.entrypoints.garbage import collection_paused

COUNT_COLLECTIONS = """
import gc
import functools, typing, minutehand.entrypoints.garbage
collections = []
gc.callbacks.append(lambda phase, info: collections.append(phase))
import minutehand.entrypoints.{function}
print(collections.count("start"))
"""
"""A program. `{function}` is the name of a function's module."""


@pytest.fixture(autouse=True)
def unfrozen() -> Iterator[None]:
    yield
    gc.unfreeze()


def test_nothing_is_collected_inside_and_what_is_there_stays_exempt_afterwards() -> None:
    before = gc.get_freeze_count()
    with collection_paused():
        assert not gc.isenabled()
        kept = [[] for _ in range(100)]
    assert gc.isenabled()
    assert gc.get_freeze_count() >= before + len(kept)


def test_a_pause_inside_another_ends_with_the_outer_one() -> None:
    with collection_paused():
        with collection_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_failed_import_leaves_collection_on() -> None:
    with pytest.raises(ImportError), collection_paused():
        raise ImportError("no such module")
    assert gc.isenabled()


@pytest.mark.parametrize("function", ["api", "authorizer", "tick", "worker"])
@pytest.mark.thorough
def test_no_garbage_is_collected_while_a_function_that_somebody_waits_for_is_loaded(function: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COUNT_COLLECTIONS.format(function=function)],
        capture_output=True,
        text=True,
        check=True,
        env={
            "PYTHONPATH": os.pathsep.join(sys.path),
            "AWS_DEFAULT_REGION": "us-east-1",
            "POWERTOOLS_SERVICE_NAME": "test",
        },
    )
    assert int(done.stdout) <= 10, "without the pause there are dozens"
