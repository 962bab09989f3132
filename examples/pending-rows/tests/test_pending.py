"""Pending orders on a real PostgreSQL: each is shipped once, whatever happens to those who ship them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from orders import pending
from orders.database import pool
from orders.shipping import ship
from psycopg import Connection
from psycopg.rows import TupleRow

from minutehand.handlers.testing import HandlerTester

Database = Connection[TupleRow]
ROWS = 150
SLOW = """
CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.02); RETURN NULL; END $$;
CREATE TRIGGER slow AFTER INSERT ON shipments FOR EACH ROW EXECUTE FUNCTION slow();
"""
"""Makes a shipment take long enough for a kill to come in the middle of it."""


def order(database: Database, *addresses: str) -> None:
    for address in addresses:
        database.execute("INSERT INTO orders (address) VALUES (%s)", (address,))


def all_are_due(database: Database) -> None:
    """Let the time pass until the next try of each order."""
    database.execute("UPDATE orders SET due_at = now() - interval '1 second' WHERE status = 'pending'")


def number(database: Database, query: str) -> int:
    [(found,)] = database.execute(query.encode()).fetchall()
    return int(found)


def shipped(database: Database) -> list[int]:
    return [row[0] for row in database.execute("SELECT order_id FROM shipments ORDER BY order_id")]


def wait_until(look: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not look():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def worker() -> subprocess.Popen[bytes]:
    """A process that runs the job once."""
    command = [str(Path(sys.executable).with_name("minutehand")), "run-handler", "orders.ship", "--app", "orders"]
    return subprocess.Popen(command, cwd=Path(__file__).parents[1], env=os.environ)


def test_each_order_is_shipped_once_and_a_repetition_ships_nothing(handlers: HandlerTester, database: Database) -> None:
    order(database, "Paris", "Rome", "Oslo")
    assert handlers.run("orders.ship").result == {"shipped": 3, "failed": 0, "given_up": 0}
    assert handlers.run("orders.ship").result == {"shipped": 0, "failed": 0, "given_up": 0}
    assert shipped(database) == [1, 2, 3]


def test_a_run_takes_a_batch_at_most_and_the_next_one_goes_on(handlers: HandlerTester, database: Database) -> None:
    order(database, "Paris", "Rome", "Oslo")
    assert handlers.run("orders.ship", {"batch": 2}).result["shipped"] == 2
    assert handlers.run("orders.ship", {"batch": 2}).result["shipped"] == 1


def test_a_cancelled_run_leaves_the_rest_pending(handlers: HandlerTester, database: Database) -> None:
    order(database, "Paris", "Rome", "Oslo")
    assert handlers.run("orders.ship", cancel_after=2).result["shipped"] == 2
    assert number(database, "SELECT count(*) FROM orders WHERE tries = 0") == 1


def test_an_order_that_fails_is_tried_later_and_holds_up_no_other(handlers: HandlerTester, database: Database) -> None:
    order(database, "", "Rome")
    assert handlers.run("orders.ship").result == {"shipped": 1, "failed": 1, "given_up": 0}
    assert handlers.run("orders.ship").result["failed"] == 0  # not due yet
    for _ in range(pending.MOST_TRIES - 1):
        all_are_due(database)
        assert handlers.run("orders.ship").result["failed"] == 1
    all_are_due(database)
    assert handlers.run("orders.ship").result["failed"] == 0
    [row] = database.execute("SELECT status, tries, error FROM orders WHERE address = ''").fetchall()
    assert row == ("failed", 5, "ValueError: the order has no address")
    database.execute("UPDATE orders SET address = 'Paris', status = 'pending', tries = 0 WHERE status = 'failed'")
    all_are_due(database)
    assert handlers.run("orders.ship").result["shipped"] == 1


def test_two_workers_share_the_orders_and_a_kill_loses_and_doubles_none(
    handlers: HandlerTester, database: Database
) -> None:
    database.execute(SLOW.encode())
    order(database, *["Paris"] * ROWS)
    with worker() as first, worker() as second:
        wait_until(lambda: number(database, "SELECT count(*) FROM shipments") >= 20)
        wait_until(lambda: number(database, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == 2)
        first.kill()
        assert first.wait() < 0
        assert second.wait() == 0
    left = ROWS - len(shipped(database))
    assert left == 1  # what the killed worker was at; the other worker has shipped the rest
    assert handlers.run("orders.ship").result["shipped"] == 0  # its next try is not due yet
    all_are_due(database)
    assert handlers.run("orders.ship").result["shipped"] == 1
    assert shipped(database) == list(range(1, ROWS + 1))
    assert number(database, "SELECT max(tries) FROM orders") == 2


def test_an_order_at_which_a_slow_worker_still_is_belongs_to_it(handlers: HandlerTester, database: Database) -> None:
    order(database, "Paris")
    taken = pending.take(pool())
    assert taken is not None
    all_are_due(database)

    def slowly(connection: Connection[TupleRow], order: int) -> None:
        assert handlers.run("orders.ship").result == {"shipped": 0, "failed": 0, "given_up": 0}
        assert not pending.work_off(pool(), taken, ship)
        ship(connection, order)

    assert pending.work_off(pool(), taken, slowly)
    assert handlers.run("orders.ship").result == {"shipped": 0, "failed": 0, "given_up": 0}
    assert shipped(database) == [1]


def test_a_worker_that_wakes_up_after_others_have_shipped_its_order_does_not_ship_it_again(
    handlers: HandlerTester, database: Database
) -> None:
    order(database, "Paris")
    taken = pending.take(pool())
    assert taken is not None
    all_are_due(database)
    assert handlers.run("orders.ship").result["shipped"] == 1
    assert not pending.work_off(pool(), taken, ship)
    assert shipped(database) == [1]


def test_an_order_that_kills_its_worker_each_time_is_given_up(handlers: HandlerTester, database: Database) -> None:
    order(database, "Paris", "Rome")
    for _ in range(pending.MOST_TRIES):
        assert pending.take(pool()) == 1  # and then the worker dies
        database.execute("UPDATE orders SET due_at = now() - interval '1 hour' WHERE id = 1")
    assert handlers.run("orders.ship").result == {"shipped": 1, "failed": 0, "given_up": 1}
    assert [tuple(row) for row in database.execute("SELECT status, tries, error FROM orders ORDER BY id")] == [
        ("failed", 5, "its worker died at each try"),
        ("done", 1, None),
    ]
