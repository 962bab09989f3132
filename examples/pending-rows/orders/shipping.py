"""The shipment of an order."""

from psycopg import Connection
from psycopg.rows import TupleRow


def ship(connection: Connection[TupleRow], order: int) -> None:
    """Ship an order.

    All that it does is in the caller's database, so it takes effect exactly once. A call of a carrier's API could be repeated, after a
    kill between the call and the commit: give it the order's id as its idempotency key.
    """
    [(address,)] = connection.execute("SELECT address FROM orders WHERE id = %s", (order,)).fetchall()
    if not address:
        raise ValueError("the order has no address")
    connection.execute("INSERT INTO shipments (order_id) VALUES (%s)", (order,))
