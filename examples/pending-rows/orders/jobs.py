"""The job of the shop: it works off pending orders, and begins again some seconds after it has ended."""

from datetime import timedelta

from minutehand import App, Context, job
from orders import pending, shipping
from orders.database import Pool, pool

app = App("orders", owner="shop team")


@app.init
def connect() -> Pool:
    """Give the runs the pool that this process has anyway."""
    return pool()


@job("orders.ship", schedule="@after 5s", heartbeat="10s", timeout=timedelta(minutes=5))
def ship(context: Context, batch: int = 1000) -> dict[str, int]:
    """Ship pending orders, a batch at most.

    The job has no retries: what a run leaves, the next one takes.
    """
    pool: Pool = context.state
    counts = {"shipped": 0, "failed": 0, "given_up": pending.give_up(pool)}
    for number in range(batch):
        if context.cancelled or (order := pending.take(pool)) is None:
            break
        is_done = pending.work_off(pool, order, shipping.ship)
        counts["shipped" if is_done else "failed"] += 1
        context.progress(text=f"{number + 1} orders")
    return counts
