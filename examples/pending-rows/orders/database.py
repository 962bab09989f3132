"""The shop's connection pool."""

import atexit
import os
from functools import cache

from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

Pool = ConnectionPool[Connection[TupleRow]]

_SETTINGS = {
    "tcp_keepalives_idle": "10s",
    "tcp_keepalives_interval": "5s",
    "tcp_keepalives_count": "3",
    "idle_in_transaction_session_timeout": "1min",
}
"""With these, PostgreSQL notices within half a minute that a client's machine has vanished, and gives up its locks. A client whose
process dies alone is noticed at once, since its system closes the connection. The work for an order may thus do without the database
for a minute at most."""


@cache
def pool() -> Pool:
    """The pool of this process for the database at DATABASE_URL, opened at first use and closed at exit."""
    options = " ".join(f"-c {name}={value}" for name, value in _SETTINGS.items())
    made = ConnectionPool(os.environ["DATABASE_URL"], min_size=1, max_size=5, open=True, kwargs={"options": options})
    atexit.register(made.close)
    return made
