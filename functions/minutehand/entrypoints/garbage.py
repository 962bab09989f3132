"""Pauses garbage collection while a function starts, which makes cold starts shorter."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause garbage collection around imports, then exempt loaded objects from collection. Inside another pause, do nothing.

    The imports of a function create about a hundred thousand objects that stay. A search of these for garbage takes up to a tenth
    of a cold start, and finds none.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
