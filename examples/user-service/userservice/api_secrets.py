"""The secrets with which users call the service's API."""

from datetime import datetime

from psycopg import Connection
from psycopg.rows import TupleRow


def revoke_expired(connection: Connection[TupleRow], *, at: datetime, most: int) -> int:
    """Revoke secrets that have expired at an instant, and forget their hashes; returns how many, `most` at most."""
    done = connection.execute(
        """
        WITH expired AS (
            SELECT id FROM secrets
            WHERE revoked_at IS NULL AND expires_at <= %(at)s
            ORDER BY expires_at LIMIT %(most)s FOR UPDATE
        ), revoked AS (
            UPDATE secrets SET revoked_at = now(), hash = NULL FROM expired
            WHERE secrets.id = expired.id RETURNING secrets.user_id
        )
        INSERT INTO audit (user_id, action) SELECT user_id, 'secret revoked' FROM revoked
        """,
        {"at": at, "most": most},
    )
    return done.rowcount
