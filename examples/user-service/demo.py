"""The user service with some users, and what its jobs do to them."""

import psycopg
from examples.stage import Stage, say

NEEDS_POSTGRES = True
JOBS = ("demo/clean", "demo/inactive-users", "demo/expired-secrets")

USERS = """
INSERT INTO users (email, created_at, last_login_at)
SELECT 'user' || n || '@example.com', noon - interval '2 years', noon - n * interval '1 day'
FROM generate_series(1, 365) AS n, LATERAL (
    SELECT (date_trunc('day', now() AT TIME ZONE 'Europe/Paris') + interval '12 hours') AT TIME ZONE 'Europe/Paris' AS noon
) AS today
"""
SECRETS = """
INSERT INTO secrets (user_id, hash, expires_at)
SELECT id, md5(email), now() + (id - 100) * interval '1 day' FROM users
"""
AUDIT = """
INSERT INTO audit (user_id, action, at)
SELECT id, 'log-in', last_login_at - n * interval '1 minute' FROM users, generate_series(1, 20) AS n
"""
ROWS = {
    "enabled users": "SELECT count(*) FROM users WHERE disabled_at IS NULL",
    "valid secrets": "SELECT count(*) FROM secrets WHERE revoked_at IS NULL",
    "entries of the audit log": "SELECT count(*) FROM audit",
}


def play(stage: Stage) -> None:
    """Run each job once by the stack, and one of them without."""
    with psycopg.connect(stage.database, autocommit=True) as connection:
        connection.execute((stage.folder / "userservice/schema.sql").read_bytes())
        for statement in (USERS, SECRETS, AUDIT):
            connection.execute(statement.encode())
        _count(connection, "before")
        with stage.service("-m", "userservice.web", "--port", "0") as service, stage.jobs(*JOBS):
            header = "Authorization: Bearer only-for-trying-it-out"
            stage.minutehand(
                "sync", "userservice", "-n", "demo", "--target", f"{service.url}/minutehand", "--header", header
            )
            for job in JOBS:
                stage.minutehand("trigger", job, "--wait")
            stage.minutehand("run-handler", "clean", "--app", "userservice", "--payload", '{"days": 30}')
        _count(connection, "after")


def _count(connection: psycopg.Connection[psycopg.rows.TupleRow], when: str) -> None:
    say(f"\n{when}:")
    for what, query in ROWS.items():
        row = connection.execute(query.encode()).fetchone()
        say(f"  {row[0] if row else 0:>6}  {what}")
