"""Garbage collection while a function starts."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause garbage collection around imports, then exempt all that is loaded from it.

    Importing boto3 makes some fifty thousand objects that stay. Searching them for garbage takes a twelfth of a cold start
    (measured: 172 ms instead of 184 ms) and finds none.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
