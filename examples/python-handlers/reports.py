"""Handlers of a team's own package: jobs declared beside the code that they run.

minutehand run-handler reports.nightly --app reports --payload '{"days": 3}'
"""

import time
from collections.abc import Iterator
from datetime import date, timedelta

from minutehand import App, Context, Failed, job

app = App(__name__, timezone="Europe/Paris", owner="data team")

ORDERS = {date(2026, 11, day): 10 * day for day in range(1, 21)}
"""Rows of each day, in the place of a database."""


@app.init
def connect() -> Iterator[dict[date, int]]:
    """Open what all runs share, once in each process, and close it at its end."""
    yield ORDERS


@job("reports.extract", schedule="0 1 * * *", retry={"max_attempts": 3, "retry_on": ["NoOrders"]})
def extract(context: Context, day: date | None = None) -> dict[str, object]:
    """Count yesterday's orders, or those of a day."""
    day = day or context.scheduled_for.date() - timedelta(days=1)
    if day not in context.state:
        raise Failed("NoOrders", f"there are no orders of {day} yet")
    return {"day": day.isoformat(), "rows": context.state[day]}


@job("reports.nightly", depends_on=[extract], heartbeat="30s", timeout=timedelta(hours=1))
def nightly(context: Context, days: int = 7, seconds: float = 0) -> dict[str, int]:
    """Sum up the orders of some days, after the extract."""
    last = max((date.fromisoformat(each.result["day"]) for each in context.parents), default=date(2026, 11, 20))
    rows = 0
    for number in range(days):
        if context.progress(100 * number // days, f"{number} of {days} days"):
            break  # cancelled, or out of time
        rows += context.state.get(last - timedelta(days=number), 0)
        time.sleep(seconds / days)
    context.log.info("summed up %d rows", rows)
    return {"rows": rows}
