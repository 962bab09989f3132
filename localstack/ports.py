"""TCP ports on the loopback interface."""

import socket

from localstack.errors import LocalStackError

LOOPBACK = "127.0.0.1"
MAX_PORT = 65535


def parse_port(text: str) -> int:
    """Parse a port given by the user; raises ``LocalStackError`` if it is not one."""
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and 1 <= int(text) <= MAX_PORT):
        raise LocalStackError(
            f"PORT must be a number from 1 to {MAX_PORT}, not {text!r:.40}; for instance: make up PORT=4566"
        )
    return int(text)


def is_free(port: int) -> bool:
    """Whether a program can listen on this port of the loopback interface now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if probe.connect_ex((LOOPBACK, port)) == 0:
            return False  # some systems let two programs listen: one on loopback, one on every interface
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def next_free(start: int) -> int:
    """The first free port from ``start`` on; raises ``LocalStackError`` if a hundred in a row are in use."""
    end = min(start + 99, MAX_PORT)
    for port in range(start, end + 1):
        if is_free(port):
            return port
    raise LocalStackError(f"Every port from {start} to {end} is in use; name a free one: make up PORT=…")
