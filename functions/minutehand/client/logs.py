"""Read the logs of attempts, also while their commands run."""

import time
from collections.abc import Callable, Iterator

from minutehand.client.api import Client
from minutehand.client.errors import NotFound
from minutehand.client.models import FINISHED, Log

BETWEEN_ATTEMPTS = 2.0
"""Seconds between two looks for the next attempt of a run."""


def read_log(
    client: Client,
    job: str,
    run_id: str,
    *,
    attempt: int | None = None,
    follow: bool = False,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Log]:
    """The pieces of an attempt's log, by default of the newest, as far as it goes.

    With `follow`, waits for more until the log has ended; without `attempt`, goes on with the attempts that follow, until the run has ended.

    Raises NotFound when there was no such attempt.
    """
    number, cursor = attempt, None
    while True:
        page = client.log(job, run_id, attempt=number, cursor=cursor)
        yield page
        number, cursor = number or page["attempt"] or None, page["cursor"]
        if page["ended"]:
            if not follow or attempt is not None:
                return
            if number is not None and _is_begun(client, job, run_id, number + 1):
                number, cursor = number + 1, None
            elif page["state"] in FINISHED:
                return
            else:
                sleep(BETWEEN_ATTEMPTS)
        elif not page["entries"] and page["next_in"]:  # without a wait, there was only nothing to show in what was read
            if not follow:
                return
            sleep(page["next_in"])


def _is_begun(client: Client, job: str, run_id: str, attempt: int) -> bool:
    try:
        client.log(job, run_id, attempt=attempt, limit=1)
    except NotFound:
        return False
    return True
