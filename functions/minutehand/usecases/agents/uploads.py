"""Uploads: an agent sends the log of an attempt straight to the bucket, by URLs that it gets here."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.attempt_log import FOLLOWED, LATE, OFTEN, SELDOM
from minutehand.domain.instants import to_text
from minutehand.domain.run import Run
from minutehand.usecases.completion.answers import FOREIGN, Speaker
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.logs import LogRecord

VALID = timedelta(minutes=5)
"""How long a URL may be used."""
_LONGEST_ATTEMPT = timedelta(days=14)


class Wanted(NamedTuple):
    """A part that an agent wants to upload, or the whole log (`part` is None). `length`: its bytes as stored."""

    speaker: Speaker
    part: int | None
    length: int


PARTS_AHEAD = 100
"""How many parts may be missing before one: agents number them from 1 on. Each up to the last is read and removed by its number."""


class Allowed(NamedTuple):
    """The URL for an upload, or why there is none, which is final."""

    url: str = ""
    problem: str = ""


class Uploads(NamedTuple):
    """An answer for each upload, in order, and how often parts are wanted."""

    items: Sequence[Allowed]
    every: timedelta


def allow(ports: Ports, namespace: str, wanted: Sequence[Wanted]) -> Uploads:
    """Give an agent URLs to upload logs of attempts of its namespace, whose tokens it has. Asking again is safe.

    Parts are wanted often if somebody follows any of these logs.

    Raises:
        Unavailable: if a store did not answer; the agent asks again.
    """
    now = ports.clock()
    runs = ports.runs.get(list({each.speaker.run: None for each in wanted}))
    records: dict[tuple[object, int], LogRecord] = {}
    items, followed = [], False
    for each in wanted:
        run = runs.get(each.speaker.run)
        problem = _refusal(run, each.speaker, namespace, now)
        if problem or run is None:
            items.append(Allowed(problem=problem))
            continue
        key = (run.key, each.speaker.attempt)
        record = records.get(key) or ports.outputs.logs.get(*key) or LogRecord()
        if each.part is not None and each.part > record.parts + PARTS_AHEAD:
            items.append(Allowed(problem=f"part {each.part} is too far ahead: {record.parts} came before it"))
            continue
        records[key] = after = _noted(ports, run, each, record, now)
        followed = followed or (after.followed_at is not None and now < after.followed_at + FOLLOWED)
        place = after.place if each.part is None else after.part(each.part)
        items.append(Allowed(url=ports.outputs.logs.upload(place, each.length, VALID)))
    return Uploads(items, OFTEN if followed else SELDOM)


def _noted(ports: Ports, run: Run, wanted: Wanted, record: LogRecord, now: datetime) -> LogRecord:
    """The record with an upload. ◆ It is stored before the URL is given: a purge removes what it names."""
    logs, attempt = ports.outputs.logs, wanted.speaker.attempt
    # What is uploaded late must not expire early: parts are needed until the whole is there.
    longest = (run.deadline_at or now + _LONGEST_ATTEMPT) - now
    fresh = logs.places(run.key, attempt, whole=max(run.expires_at - now, LATE), parts=longest + 2 * LATE)
    if wanted.part is None:
        after = record._replace(place=record.place or fresh.place)
    else:
        after = record._replace(parts=max(record.parts, wanted.part), parts_at=record.parts_at or fresh.parts_at)
    if after != record:
        logs.note(run.key, attempt, after, max(run.expires_at, now + LATE))
    return after


def _refusal(run: Run | None, speaker: Speaker, namespace: str, now: datetime) -> str:
    """Why an agent may not upload; empty if it may. It is the same for all that a stranger might guess."""
    nonces = {} if run is None else {one.number: one.nonce for one in run.attempts} | {run.attempt: run.nonce}
    known = nonces.get(speaker.attempt) or ""
    if not hmac.compare_digest(known.encode(), speaker.nonce.encode()) or run is None:
        return FOREIGN
    if run.key.job.namespace != namespace:
        return FOREIGN
    ended = ended_at(run, speaker.attempt)
    if ended is not None and now >= ended + LATE:
        return f"attempt {speaker.attempt} ended at {to_text(ended)}; its log could be uploaded for a day"
    return ""


def ended_at(run: Run, attempt: int) -> datetime | None:
    """When an attempt ended; None if it has not, or if that is not known."""
    listed = next((one for one in run.attempts if one.number == attempt), None)
    if listed is not None:
        return listed.finished_at
    return run.finished_at if attempt == run.attempt else None
