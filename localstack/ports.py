"""Choosing TCP ports on the loopback interface."""

import socket

from localstack.errors import LocalStackError

LOOPBACK = "127.0.0.1"
LAST = 65535


def port_of(text: str) -> int:
    """The port that a user named; raises ``LocalStackError`` when it is none."""
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and 1 <= int(text) <= LAST):
        raise LocalStackError(
            f"PORT must be a number from 1 to {LAST}, and {text!r:.40} is not; as in: make up PORT=4566"
        )
    return int(text)


def is_free(port: int) -> bool:
    """Whether a program could listen on this port of the loopback interface now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if probe.connect_ex((LOOPBACK, port)) == 0:
            return False  # some systems would let two programs listen: one here, one on every interface
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def next_free(start: int) -> int:
    """The first free port from ``start`` on; raises ``LocalStackError`` when a hundred in a row are taken."""
    end = min(start + 99, LAST)
    for port in range(start, end + 1):
        if is_free(port):
            return port
    raise LocalStackError(f"Every port from {start} to {end} is in use; give a free one: make up PORT=…")
