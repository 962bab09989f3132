"""Pending orders: each is taken by one worker at a time, tried a few times, and shipped once.

A try is two transactions. The first takes an order: it counts the try, and sets when the next one is due. The second locks the order,
ships it, and marks it as done. So whatever ends a try early (an error, a kill, a lost connection) undoes the second transaction alone:
the order stays pending, and is due again later.
"""

from collections.abc import Callable

from psycopg import Connection
from psycopg.rows import TupleRow

from orders.database import Pool

Work = Callable[[Connection[TupleRow], int], None]
"""What is done for an order, given its id, in the transaction that marks it as done."""

MOST_TRIES = 5
_LONGEST_ERROR = 500

# Taken one by one: if an order kills its worker, no other order loses a try.
_TAKE = """
UPDATE orders SET tries = tries + 1, due_at = now() + (tries + 1) * interval '30 seconds'
WHERE id = (
    SELECT id FROM orders WHERE status = 'pending' AND due_at <= now()
    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
)
RETURNING id
"""
# Skipped if another worker is still at it, longer than the next try was away.
_LOCK = "SELECT 1 FROM orders WHERE id = %s AND status = 'pending' FOR UPDATE SKIP LOCKED"
_DONE = "UPDATE orders SET status = 'done', error = NULL WHERE id = %s"
_FAILED = """
UPDATE orders SET error = %s, status = CASE WHEN tries >= %s THEN 'failed' ELSE status END
WHERE id = %s AND status = 'pending'
"""
_GIVE_UP = """
UPDATE orders SET status = 'failed', error = coalesce(error, 'its worker died at each try')
WHERE id IN (
    SELECT id FROM orders WHERE status = 'pending' AND due_at <= now() AND tries >= %s FOR UPDATE SKIP LOCKED
)
"""


def give_up(pool: Pool) -> int:
    """Mark orders as failed whose last try did not end; returns how many."""
    with pool.connection() as connection:
        return connection.execute(_GIVE_UP, (MOST_TRIES,)).rowcount


def take(pool: Pool) -> int | None:
    """Take an order that is due; returns its id, or None if there is none."""
    with pool.connection() as connection:
        row = connection.execute(_TAKE).fetchone()
    return None if row is None else int(row[0])


def work_off(pool: Pool, order: int, work: Work) -> bool:
    """Do the work for an order that was taken; returns whether it is done. An error is kept with the order."""
    try:
        with pool.connection() as connection:  # commits at its end, or rolls back
            if connection.execute(_LOCK, (order,)).fetchone() is None:
                return False
            work(connection, order)
            connection.execute(_DONE, (order,))
    except Exception as error:  # noqa: BLE001 - whatever is wrong with one order, the others go on
        with pool.connection() as connection:
            text = f"{type(error).__name__}: {error}"[:_LONGEST_ERROR]
            connection.execute(_FAILED, (text, MOST_TRIES, order))
        return False
    return True
