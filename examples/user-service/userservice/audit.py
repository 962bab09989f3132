"""The log of what happened to users."""

from datetime import datetime

from psycopg import Connection
from psycopg.rows import TupleRow


def record(connection: Connection[TupleRow], user_id: int, action: str) -> None:
    """Add an entry."""
    connection.execute("INSERT INTO audit (user_id, action) VALUES (%s, %s)", (user_id, action))


def delete_before(connection: Connection[TupleRow], *, before: datetime, most: int) -> int:
    """Delete the oldest entries from before an instant; returns how many, `most` at most."""
    done = connection.execute(
        "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < %s ORDER BY at LIMIT %s)", (before, most)
    )
    return done.rowcount
