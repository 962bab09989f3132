"""Saying what goes on, to whoever still listens."""

import os
import sys


def say(line: str) -> None:
    """Print a line at once. When the reader has gone (``make up | head -3``), this and all that follows goes nowhere, and
    the work goes on.
    """
    try:
        print(line, flush=True)
    except BrokenPipeError:
        hush()


def progress(line: str) -> None:
    """Say a line about a step that is done."""
    say(f"  {line}")


def hush() -> None:
    """Let standard output lead nowhere, so that nothing that is still buffered for a reader who has gone makes trouble."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
