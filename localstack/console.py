"""Progress output that survives a closed pipe."""

import os
import sys


def print_line(line: str) -> None:
    """Print a line at once. After the reader has closed the pipe (``make up | head -3``), output is discarded and work continues."""
    try:
        print(line, flush=True)
    except BrokenPipeError:
        discard_output()


def print_step(line: str) -> None:
    """Print a line about a finished step, indented."""
    print_line(f"  {line}")


def discard_output() -> None:
    """Redirect standard output to nowhere, so that flushing what is still buffered for a closed pipe raises no error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
