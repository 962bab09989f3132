"""Rules that the judge applies; the player prints how often each was applied."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum


class Rule(Enum):
    """A rule of the judge. Its value says what must hold; a history counts how often a case of it came up."""

    NAMED = "a named instant has one run, or a skipped range or reason that fits"
    UNNAMED = "a scheduled run begins only if a revision in effect names its instant"
    NEAR_AN_EDIT = "an instant within 2 s of an edit is judged to the second"
    BLOCKED = "a calendar keeps from running what it blocks, and nothing else"
    COUNTED = "max_runs holds"
    MISSED = "a catch-up range holds only instants later than misfire_grace"
    CATCH_UP_SKIP = "catch_up: skip runs nothing that was missed"
    CATCH_UP_LATEST = "catch_up: latest runs only the latest of what was missed"
    CATCH_UP_ALL = "catch_up: all skips only what is older than catchup_window"
    NOT_EARLY = "no attempt begins before its start"
    RETRY_NOT_EARLY = "no retry begins before it is due"
    IN_TIME = "while nothing fails, a run begins within 3 s of its start"
    JITTER = "start delays are within jitter, the same for an instant, and differ"
    NUMBERED = "attempts are numbered without gaps, and each starts once"
    LEASE = "an attempt is taken over only after its lease"
    DIED = "an attempt whose worker died is on record as ended with its lease"
    TAKEN_OVER = "a dead worker's run is taken over at most `takeovers` times"
    LOST = "a run is lost only if nothing may end it any more"
    RETRIED = "an attempt is retried only while max_attempts allows it"
    GIVEN_UP = "a run fails only once max_attempts or run_timeout is reached"
    FENCED = "only the current attempt's report is accepted"
    BACKOFF = "a retry waits as long as its backoff says"
    ASKED = "a retry waits as long as its target asked, up to the longest backoff"
    ANSWERED = "an attempt ends as its target answered, or once its time is over"
    CANCELLED = "no attempt begins after a cancel"
    RUN_TIMEOUT = "no attempt begins after run_timeout"
    ALONE = "calls do not overlap where the policy forbids it"
    BLOCKER = "a run skipped for another names one that was active or waiting"
    MISSED_START = "a run skipped for start_within records that time and what it last waited for"
    IN_ORDER = "waiting runs take the lock in order"
    DELAY = "a fixed delay is kept"
    LIMIT = "max_concurrency holds"
    QUOTA = "a quota of runs a minute holds"
    PAUSE = "nothing begins in a pause of the namespace"
    SHADOW = "a run in shadow calls no target"
    CHILD = "a child's run has parents that ended as required"
    TRIGGER = "an idempotency key has one run"
    SENT_AGAIN = "the sweep finds a run whose message was lost"
    RECORDED = "a change that somebody asks for is recorded once, and nothing else is"
    AT_ITS_NODE = "a command runs only in the pool, and at the node, that its job names"
    OF_ONE_NAME = "of the agents that have had a node's name, the newest alone gets orders"
    ROOM = "no run waits while an agent has room that may run it"
    UNWANTED = "a command ends soon after its run was cancelled"
    LISTED = "the entry whose id a run stores exists and names it"


def table(judged: Mapping[Rule, int]) -> str:
    """How often each rule was applied, a line each."""
    return "\n".join(f"{judged.get(rule, 0):>9,} times: {rule.value}" for rule in Rule)
