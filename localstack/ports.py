"""Choosing TCP ports on the loopback interface."""

import socket

from localstack.errors import LocalStackError

LOOPBACK = "127.0.0.1"


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
    for port in range(start, min(start + 100, 65536)):
        if is_free(port):
            return port
    raise LocalStackError(f"Every port from {start} to {start + 99} is in use; give a free one: make up PORT=…")
