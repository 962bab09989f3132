"""The jobs on a real PostgreSQL: which rows they take, and that a repetition takes none."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow
from userservice import audit, users
from userservice.database import pool

from minutehand.handlers.testing import HandlerTester

Database = Connection[TupleRow]
THREE = datetime(2026, 11, 20, 2, tzinfo=UTC)
"""Three at night in Paris."""
MIDNIGHT = datetime(2026, 11, 12, 23, tzinfo=UTC)
"""In Paris the 13th begins, seven days before the 20th."""
SECOND = timedelta(seconds=1)


def user(database: Database, email: str, *, seen: datetime | None = None, created: datetime = THREE) -> int:
    found = users.add(database, email)
    database.execute("UPDATE users SET last_login_at = %s, created_at = %s WHERE id = %s", (seen, created, found))
    return found


def column(database: Database, query: str) -> list[Any]:
    return [row[0] for row in database.execute(query)]


def enabled(database: Database) -> list[str]:
    return column(database, "SELECT email FROM users WHERE disabled_at IS NULL ORDER BY email")


def audited(database: Database, *instants: datetime) -> None:
    found = users.add(database, "ada@example.com")
    for at in instants:
        audit.record(database, found, "log-in")
        database.execute("UPDATE audit SET at = %s WHERE id = (SELECT max(id) FROM audit)", (at,))


def test_clean_deletes_what_is_older_than_whole_days_and_nothing_at_a_repetition(
    handlers: HandlerTester, database: Database
) -> None:
    audited(database, MIDNIGHT - SECOND, MIDNIGHT, THREE)
    first = handlers.run("clean", {"days": 7}, scheduled_for=THREE)
    assert first.result == {"deleted": 1, "before": "2026-11-13T00:00:00+01:00"}
    assert column(database, "SELECT at FROM audit ORDER BY at") == [MIDNIGHT, THREE]
    assert handlers.run("clean", {"days": 7}, scheduled_for=THREE).result["deleted"] == 0


def test_a_late_run_and_a_repeated_one_take_the_rows_of_their_own_day(
    handlers: HandlerTester, database: Database
) -> None:
    audited(database, MIDNIGHT - SECOND, MIDNIGHT)
    for hour in (0, 23):
        at = datetime(2026, 11, 19, 23, tzinfo=UTC) + timedelta(hours=hour)
        assert handlers.run("clean", {"days": 7}, scheduled_for=at).result["before"] == "2026-11-13T00:00:00+01:00"
    assert column(database, "SELECT at FROM audit") == [MIDNIGHT]


@pytest.mark.parametrize(
    ("day", "before"),
    [
        (datetime(2026, 10, 25, 2, tzinfo=UTC), "2026-10-24T00:00:00+02:00"),
        (datetime(2026, 10, 26, 2, tzinfo=UTC), "2026-10-25T00:00:00+02:00"),
        (datetime(2026, 3, 30, 1, tzinfo=UTC), "2026-03-29T00:00:00+01:00"),
    ],
    ids=["on the day of 25 hours", "after it", "after the day of 23 hours"],
)
def test_a_day_of_23_or_25_hours_is_a_day(
    handlers: HandlerTester, database: Database, day: datetime, before: str
) -> None:
    assert handlers.run("clean", {"days": 1}, scheduled_for=day).result["before"] == before


def test_clean_works_in_batches_and_says_how_far_it_is(handlers: HandlerTester, database: Database) -> None:
    audited(database, *(MIDNIGHT - number * SECOND for number in range(1, 8)))
    ran = handlers.run("clean", {"days": 7, "batch": 3}, scheduled_for=THREE)
    assert ran.result["deleted"] == 7
    assert [text for _, text in ran.progress] == ["3 rows", "6 rows", "7 rows"]


def test_a_cancelled_run_keeps_what_it_has_done(handlers: HandlerTester, database: Database) -> None:
    audited(database, *(MIDNIGHT - number * SECOND for number in range(1, 8)))
    assert handlers.run("clean", {"days": 7, "batch": 3}, scheduled_for=THREE, cancel_after=1).result["deleted"] == 3
    assert column(database, "SELECT count(*) FROM audit") == [4]


@pytest.mark.parametrize("payload", [{"days": 0}, {"days": -1}, {"days": 7, "batch": 0}])
def test_a_payload_that_would_delete_everything_or_never_end_is_refused(
    handlers: HandlerTester, database: Database, payload: dict[str, int]
) -> None:
    audited(database, MIDNIGHT)
    error = handlers.run("clean", payload, scheduled_for=THREE).error
    assert error is not None
    assert "write 1 or more" in error[1]
    assert column(database, "SELECT count(*) FROM audit") == [1]


def test_inactive_users_disables_by_the_last_log_in_or_else_by_the_creation(
    handlers: HandlerTester, database: Database
) -> None:
    old = MIDNIGHT - timedelta(days=100)
    user(database, "seen@example.com", seen=MIDNIGHT, created=old)
    user(database, "unseen@example.com", seen=MIDNIGHT - SECOND, created=old)
    user(database, "new@example.com", created=MIDNIGHT)
    user(database, "never@example.com", created=old)
    assert handlers.run("inactive-users", {"days": 7}, scheduled_for=THREE).result["disabled"] == 2
    assert enabled(database) == ["new@example.com", "seen@example.com"]
    assert column(database, "SELECT action FROM audit") == ["disabled", "disabled"]
    assert handlers.run("inactive-users", {"days": 7}, scheduled_for=THREE).result["disabled"] == 0
    assert column(database, "SELECT count(*) FROM audit") == [2]


def test_a_user_who_logs_in_while_the_job_runs_stays(handlers: HandlerTester, database: Database) -> None:
    user(database, "ada@example.com", seen=MIDNIGHT - SECOND)
    ran: list[Any] = []
    with pool().connection() as other:
        assert users.log_in(other, "ada@example.com")  # not committed yet
        job = threading.Thread(
            target=lambda: ran.append(handlers.run("inactive-users", {"days": 7}, scheduled_for=THREE))
        )
        job.start()
        while not column(database, "SELECT count(*) FROM pg_locks WHERE NOT granted")[0]:
            time.sleep(0.01)
    job.join()
    assert ran[0].result["disabled"] == 0
    assert enabled(database) == ["ada@example.com"]


def test_a_secret_is_revoked_at_the_second_of_its_expiry_and_once(handlers: HandlerTester, database: Database) -> None:
    found = user(database, "ada@example.com")
    for hash_, at in (("before", THREE - SECOND), ("at", THREE), ("after", THREE + SECOND)):
        database.execute("INSERT INTO secrets (user_id, hash, expires_at) VALUES (%s, %s, %s)", (found, hash_, at))
    assert handlers.run("expired-secrets", scheduled_for=THREE).result == {"revoked": 2}
    assert column(database, "SELECT hash FROM secrets ORDER BY id") == [None, None, "after"]
    assert handlers.run("expired-secrets", scheduled_for=THREE).result == {"revoked": 0}
    assert column(database, "SELECT action FROM audit") == ["secret revoked", "secret revoked"]
