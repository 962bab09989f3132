"""Garbage collection is paused only while boto3 is imported."""

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
import minutehand.entrypoints.settings, minutehand.entrypoints.garbage
collections = []
gc.callbacks.append(lambda phase, info: collections.append(phase))
import minutehand.entrypoints.clients
print(collections.count("start"))
"""


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


def test_a_failed_import_leaves_collection_on() -> None:
    with pytest.raises(ImportError), collection_paused():
        raise ImportError("no such module")
    assert gc.isenabled()


def test_no_garbage_is_collected_while_boto3_is_loaded() -> None:
    done = subprocess.run(
        [sys.executable, "-c", COUNT_COLLECTIONS],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path), "AWS_DEFAULT_REGION": "us-east-1"},
    )
    assert int(done.stdout) <= 2, "without the pause there are dozens"
