"""Show output: the whole output of a run's attempt, in the answer or as a link."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from minutehand.domain.errors import NotFound
from minutehand.domain.run import Run
from minutehand.usecases.ports.outputs import Outputs, size_of

MOST_IN_AN_ANSWER = 512 * 1024
"""Longest output in an answer, in bytes; a longer one is linked. Lambda sends up to 6 MB of JSON in JSON: up to 7 bytes for one."""
LINK_LASTS = timedelta(minutes=5)
"""How long a link to a longer text is valid."""


class Shown(NamedTuple):
    """An attempt's output.

    Attributes:
        size: length of the output's whole text, in bytes of UTF-8.
        truncated: whether `text` is incomplete, because the rest could not be stored or has expired.
        cut: whether the target's answer was longer than the worker reads, so that its end was never stored.
        text: the output; None when `url` is given instead, which serves the whole output for `LINK_LASTS`.
    """

    attempt: int
    size: int
    truncated: bool
    cut: bool
    text: str | None
    url: str | None = None


def show_output(outputs: Outputs, run: Run, attempt: int | None = None) -> Shown:
    """The output of an attempt, by default of the newest.

    Raises:
        NotFound: when the run has had no such attempt, or the attempt left no output.
    """
    number = run.attempt if attempt is None else attempt
    about = f"run {run.key.run_id} of job {run.key.job}"
    if number > run.attempt or not run.attempt:
        had = {0: "no attempt yet", 1: "one attempt"}.get(run.attempt, f"{run.attempt} attempts")
        raise NotFound(f"{about} has had {had}; there is no output of attempt {number or 1}")
    newest = number == run.attempt
    kept = outputs.get(run.key, number) if run.detailed or not newest else None
    result = kept.result if kept else run.result if newest else None
    if result is None:
        raise NotFound(f"attempt {number} of {about} has left no output")
    if kept is None:
        return Shown(number, size_of(result), truncated=run.detailed, cut=result.cut, text=result.body)
    if kept.place and kept.size > MOST_IN_AN_ANSWER:
        url = outputs.link(kept.place, LINK_LASTS)
        return Shown(number, kept.size, truncated=False, cut=result.cut, text=None, url=url)
    text = outputs.read(kept.place) if kept.place else None
    if text is None:
        return Shown(number, kept.size, truncated=kept.truncated, cut=result.cut, text=result.body)
    return Shown(number, kept.size, truncated=False, cut=result.cut, text=text)
