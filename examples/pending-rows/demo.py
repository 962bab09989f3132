"""The shop with some pending orders, and a web server that is killed while it ships them."""

import psycopg
from examples.stage import Stage, say, wait_until
from psycopg import Connection
from psycopg.rows import TupleRow

NEEDS_POSTGRES = True
JOB = "demo/orders.ship"

ORDERS = "INSERT INTO orders (address) SELECT 'Road ' || n FROM generate_series(1, 200) AS n"
SLOW_WAREHOUSE = """
CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_sleep(CASE WHEN NEW.order_id % 60 = 0 THEN 2 ELSE 0.02 END);
    RETURN NULL;
END $$;
CREATE TRIGGER slow AFTER INSERT ON shipments FOR EACH ROW EXECUTE FUNCTION slow();
"""
COUNTS = """
SELECT status, count(*), coalesce(sum(s.shipments), 0), max(tries) FROM orders
LEFT JOIN (SELECT order_id, count(*) AS shipments FROM shipments GROUP BY order_id) AS s ON s.order_id = orders.id
GROUP BY status ORDER BY status
"""


def play(stage: Stage) -> None:
    """Kill the web server in the middle of a run, start it again, and wait until all orders are shipped."""
    with psycopg.connect(stage.database, autocommit=True) as connection:
        for statement in ((stage.folder / "orders/schema.sql").read_text(encoding="utf-8"), SLOW_WAREHOUSE, ORDERS):
            connection.execute(statement.encode())
        with stage.jobs(JOB):
            with stage.service("-m", "orders.web", "--port", "0") as service:
                header = "Authorization: Bearer only-for-trying-it-out"
                stage.minutehand("sync", "orders", "-n", "demo", "--target", service.url, "--header", header)
                wait_until(lambda: _is_in_hand(connection, 60), seconds=120, what="order 60 is in hand")
                say(f"\n$ kill -9 {service.process.pid}    # the web server, while it ships an order")
                service.process.kill()
                service.process.wait()
            _show(connection)
            port = service.url.rpartition(":")[2]
            with stage.service("-m", "orders.web", "--port", port):
                say("\nthe run ends after 10 s without a heartbeat; the next one follows 5 s later, and ships the rest")
                wait_until(lambda: _shipped(connection) >= 200, seconds=180, what="all orders are shipped")
                stage.minutehand("runs", JOB)
            _show(connection)


def _shipped(connection: Connection[TupleRow]) -> int:
    [(found,)] = connection.execute("SELECT count(*) FROM orders WHERE status = 'done'").fetchall()
    return int(found)


def _is_in_hand(connection: Connection[TupleRow], order: int) -> bool:
    """Whether a try to ship an order has begun and not ended."""
    query = "SELECT tries FROM orders WHERE id = %s AND status = 'pending'"
    return connection.execute(query, (order,)).fetchall() == [(1,)]


def _show(connection: Connection[TupleRow]) -> None:
    say("\nstatus   orders  shipments  most tries")
    for status, orders, shipments, tries in connection.execute(COUNTS.encode()):
        say(f"{status:<7} {orders:>7} {shipments:>10} {tries:>11}")
