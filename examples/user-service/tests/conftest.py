"""A database of the tests' own on the server at DATABASE_URL, and the shipped fixture that runs handlers without Minutehand."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import Connection, conninfo, sql
from psycopg.rows import TupleRow
from userservice.database import create_tables, pool

from minutehand.handlers.testing import handler_fixture

handlers = handler_fixture("userservice")


@pytest.fixture(scope="session", autouse=True)
def own_database() -> Iterator[None]:
    """A new database, to which DATABASE_URL leads from now on."""
    server, name = os.environ["DATABASE_URL"], f"test_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        os.environ["DATABASE_URL"] = conninfo.make_conninfo(server, dbname=name)
        yield
        pool().close()
        connection.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))


@pytest.fixture
def database() -> Iterator[Connection[TupleRow]]:
    """A connection of the pool, and empty tables. What the connection does is committed at once."""
    with pool().connection() as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
        create_tables(connection)
        connection.commit()
        connection.autocommit = True
        yield connection
        connection.autocommit = False
