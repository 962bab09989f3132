"""Keeps the agent's own secrets from the commands that it runs."""

import ctypes
import os

_PR_SET_DUMPABLE = 4
"""prctl(2)."""


def hide_memory() -> None:
    """Keep other processes of the same user from reading this one's memory and variables, where its token is (see prctl(2), proc(5)).

    The programs that it starts are not affected. A file with the token that the user may read is not, either.

    Raises:
        OSError: if the kernel refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
