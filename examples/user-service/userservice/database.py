"""The service's connection pool. Requests and jobs of a process share it."""

import atexit
import os
from functools import cache
from pathlib import Path

from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

Pool = ConnectionPool[Connection[TupleRow]]

_SCHEMA = Path(__file__).with_name("schema.sql")


@cache
def pool() -> Pool:
    """The pool of this process for the database at DATABASE_URL, opened at first use and closed at exit."""
    made = ConnectionPool(os.environ["DATABASE_URL"], min_size=1, max_size=5, open=True)
    atexit.register(made.close)
    return made


def create_tables(connection: Connection[TupleRow]) -> None:
    """Create the tables in an empty database."""
    connection.execute(_SCHEMA.read_bytes())
