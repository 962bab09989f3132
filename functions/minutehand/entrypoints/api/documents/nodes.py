"""The documents of nodes, and of the requests by which agents register, get orders, beat and report."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from minutehand.domain.declaration import checks
from minutehand.domain.declaration.field import LEFT_OUT, Field, Pairs, Refused
from minutehand.domain.job_key import JobKey
from minutehand.domain.node import MOST_SLOTS, Asked, Machine, StartAnswer
from minutehand.entrypoints.api.documents.requests import ProgressRequest, ReportedError, check_run_id
from minutehand.targets.command.orders import Order

MOST_AT_ONCE = 10
"""Most runs of a request for starts, and most reports of a request."""
LONGEST_BOOT = 128
_SESSION = re.compile(r"[!-~]{8,128}", re.ASCII)


def check_session(text: str) -> None:
    """Refuse what is not the session of an agent."""
    if not _SESSION.fullmatch(text):
        raise Refused(
            f"{text!r:.40} is not a session",
            "send 8 to 128 visible ASCII characters, random for each process of an agent",
        )


def _check_token(text: str) -> None:
    if not re.fullmatch(r"([\w-]{32})?", text, re.ASCII):
        raise Refused("this is not a token of an attempt", "send 32 random letters, digits, - and _, or leave it out")


def _check_job(text: str) -> None:
    if not all(checks.NAME.fullmatch(part) for part in text.partition("/")[::2]):
        raise Refused(f"{text!r:.60} is not the full name of a job", "write namespace/name, as the message has it")


Session = Annotated[str, Field("Random text of the agent's process.", check=check_session)]
JobName = Annotated[JobKey, Field("The job, as `namespace/name`.", check=_check_job)]
RunId = Annotated[str, Field("The run's id.", check=check_run_id)]
AttemptNumber = Annotated[int, Field("Number of the attempt.", least=0, most=1_000_000)]
AttemptToken = Annotated[str, Field("The attempt's token, from the order.", most=512)]


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeDocument:
    """A node: an agent that serves a pool, or did lately."""

    pool: Annotated[str, Field("The pool.")]
    node: Annotated[str, Field("The node's name in its pool.")]
    host: Annotated[str, Field("Name of its host.")]
    version: Annotated[str, Field("The agent's version.")]
    tags: Annotated[Pairs, Field("Its tags.")]
    slots: Annotated[int, Field("How many commands it runs at once.")]
    running: Annotated[int, Field("How many it ran when it was seen last.")]
    registered_at: Annotated[datetime, Field("When its agent registered.")]
    seen_at: Annotated[datetime, Field("When its agent was seen last.")]
    live: Annotated[bool, Field("Whether it was seen within 150 seconds, and has not left.")]
    asked: Annotated[
        Asked,
        Field(
            "What an operator asked of it: to take work (run), to take none until it is asked to run again (pause), or to take none and end "
            "when nothing is running (drain)."
        ),
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class AskRequest:
    """What is asked of a node."""

    asked: Annotated[Asked, Field("To take work (run), to take none (pause), or to take none and end (drain).")]


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeRequest:
    """An agent that registers as a node."""

    session: Session
    machine: Annotated[Machine, Field(inline=True)]
    boot: Annotated[
        str,
        Field(
            "Text that differs between two starts of the machine, or of its container. The first time that one is sent, the jobs with "
            "`at_start` are started.",
            most=LONGEST_BOOT,
            check=checks.one_line,
        ),
    ] = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class RegisteredNodeDocument:
    """A node that has registered, and the queues from which its agent receives."""

    node: Annotated[NodeDocument, Field("The node.")]
    pool_queue_url: Annotated[str, Field("URL of the pool's queue.")]
    inbox_url: Annotated[str, Field("URL of the node's own queue.")]
    region: Annotated[str, Field("The region of both.")]
    beat_every: Annotated[int, Field("Seconds between two beats.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class CredentialsRequest:
    """An agent that asks for credentials."""

    session: Session


@dataclass(frozen=True, kw_only=True, slots=True)
class CredentialsDocument:
    """Temporary credentials of AWS, for the two queues of a node alone."""

    access_key_id: Annotated[str, Field("The access key.")]
    secret_access_key: Annotated[str, Field("Its secret.")]
    session_token: Annotated[str, Field("The token that requests carry.")]
    expires_at: Annotated[datetime, Field("Until when they are valid.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedRun:
    """A run whose message an agent received."""

    job: JobName
    run_id: RunId
    attempt: AttemptNumber
    token: Annotated[
        str,
        Field(
            "The token that the attempt is to have: 32 letters, digits, - and _, random and new for each message. Who sends the request "
            "again, since no answer came, gets the same order. Without it, the API makes one.",
            check=_check_token,
        ),
    ] = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class StartsRequest:
    """The runs whose messages an agent received, for which it has free slots."""

    session: Session
    runs: Annotated[tuple[AskedRun, ...], Field("The runs, as their messages name them.", most=MOST_AT_ONCE)]


@dataclass(frozen=True, kw_only=True, slots=True)
class StartDocument:
    """What an agent does with one message."""

    job: Annotated[JobKey, Field("The job, as `namespace/name`.")]
    run_id: Annotated[str, Field("The run's id.")]
    attempt: Annotated[int, Field("The attempt, as asked.")]
    decision: Annotated[
        StartAnswer,
        Field("Run the order and delete the message (run), delete the message (drop), or hide it for a time (hide)."),
    ]
    order: Annotated[Order, Field("With `run`: what to run.", optional=True)] = LEFT_OUT
    seconds: Annotated[int, Field("With `hide`: for how long.", optional=True)] = LEFT_OUT


@dataclass(frozen=True, kw_only=True, slots=True)
class StartsDocument:
    """What an agent does with each message."""

    items: Annotated[tuple[StartDocument, ...], Field("An answer for each run, in the order of the request.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunningAttempt:
    """An attempt that an agent runs."""

    job: JobName
    run_id: RunId
    attempt: AttemptNumber
    token: AttemptToken
    progress: Annotated[ProgressRequest | None, Field("What its command reported last; null for nothing.")] = None


@dataclass(frozen=True, kw_only=True, slots=True)
class BeatRequest:
    """An agent that is alive, and what it runs."""

    session: Session
    running: Annotated[tuple[RunningAttempt, ...], Field("Every attempt that it runs.", most=MOST_SLOTS)] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptNamed:
    """An attempt of a run."""

    job: Annotated[JobKey, Field("The job, as `namespace/name`.")]
    run_id: Annotated[str, Field("The run's id.")]
    attempt: Annotated[int, Field("Number of the attempt.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class BeatDocument:
    """What an agent learns when it beats."""

    registered: Annotated[
        bool,
        Field(
            "Whether the node is this agent's. If not, it has to register again, which fails if another has the name."
        ),
    ]
    unwanted: Annotated[
        tuple[AttemptNamed, ...], Field("Attempts to end without a report: they were cancelled, or are over.")
    ]
    asked: Annotated[Asked, Field("What an operator asks of the node.")]
    beat_every: Annotated[int, Field("Seconds until the next beat.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptReport:
    """How an attempt ended."""

    job: JobName
    run_id: RunId
    attempt: AttemptNumber
    token: AttemptToken
    state: Annotated[
        str,
        Field("How it ended. `skipped`: the command found nothing to do.", choices=("succeeded", "failed", "skipped")),
    ]
    result: Annotated[Any, Field("The result: any JSON value, kept with the run.")] = None
    error: Annotated[ReportedError | None, Field("Why it failed; only with `failed`.")] = None
    progress: Annotated[ProgressRequest | None, Field("What its command reported last; null for nothing.")] = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportsRequest:
    """How attempts ended."""

    session: Session
    reports: Annotated[tuple[AttemptReport, ...], Field("The attempts.", most=MOST_AT_ONCE)]


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedDocument:
    """What became of a report."""

    job: Annotated[JobKey, Field("The job, as `namespace/name`.")]
    run_id: Annotated[str, Field("The run's id.")]
    attempt: Annotated[int, Field("Number of the attempt.")]
    recorded: Annotated[bool, Field("Whether it was recorded.")]
    problem: Annotated[str | None, Field("Why it was not, for good; null if it was.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedReportsDocument:
    """What became of each report."""

    items: Annotated[tuple[RecordedDocument, ...], Field("An answer for each report, in the order of the request.")]
