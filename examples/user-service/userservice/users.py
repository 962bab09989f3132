"""The users of the service."""

from datetime import datetime

from psycopg import Connection
from psycopg.rows import TupleRow


def add(connection: Connection[TupleRow], email: str) -> int:
    """Add a user; returns the id."""
    [(found,)] = connection.execute("INSERT INTO users (email) VALUES (%s) RETURNING id", (email,)).fetchall()
    return int(found)


def log_in(connection: Connection[TupleRow], email: str) -> bool:
    """Note a log-in; returns False for a user who does not exist or is disabled."""
    done = connection.execute(
        "UPDATE users SET last_login_at = now() WHERE email = %s AND disabled_at IS NULL", (email,)
    )
    return done.rowcount == 1


def disable_unseen(connection: Connection[TupleRow], *, since: datetime, most: int) -> int:
    """Disable users who have not logged in since an instant, nor were created since; returns how many, `most` at most.

    The row lock lets a log-in that is under way end first: then the user is looked at again, and stays.
    """
    done = connection.execute(
        """
        WITH unseen AS (
            SELECT id FROM users
            WHERE disabled_at IS NULL AND coalesce(last_login_at, created_at) < %(since)s
            ORDER BY coalesce(last_login_at, created_at) LIMIT %(most)s FOR UPDATE
        ), disabled AS (
            UPDATE users SET disabled_at = now() FROM unseen WHERE users.id = unseen.id RETURNING users.id
        )
        INSERT INTO audit (user_id, action) SELECT id, 'disabled' FROM disabled
        """,
        {"since": since, "most": most},
    )
    return done.rowcount
