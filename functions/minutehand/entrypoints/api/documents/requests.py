"""The bodies of requests, except those that save a job, a calendar or a namespace."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from minutehand.domain.backfill import MOST_AT_ONCE, Order
from minutehand.domain.declaration import checks
from minutehand.domain.declaration.field import Field, Refused
from minutehand.domain.policies import CatchUp

# The Runs table also holds items that are not runs. An id that matches this pattern cannot address one of those.
RUN_ID = re.compile(r"[0-9]{8}T[0-9]{6}Z(~[a-z]+-[A-Za-z0-9._-]{1,128})?", re.ASCII)
_ERROR_TYPE = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,63}", re.ASCII)
LONGEST_MESSAGE = 4000
LONGEST_STACK = 16_000
LONGEST_LINE = 200


def check_run_id(text: str) -> None:
    """Refuse what is not the id of a run."""
    if not RUN_ID.fullmatch(text):
        raise Refused(f"{text!r:.80} is not a run id", "write it as a list of runs shows it, such as 20261120T090000Z")


def check_error_type(text: str) -> None:
    """Refuse what is not the type of an error."""
    if not _ERROR_TYPE.fullmatch(text):
        raise Refused(
            f"{text!r:.60} is not an error type",
            "write one word for the kind of failure, such as DiskFull: at most 64 of A-Z, a-z, 0-9, `_` and `.`",
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class PauseRequest:
    """A pause that ends by itself."""

    until: Annotated[
        datetime, Field("The end of the pause, in RFC 3339; in the future. The job may run again from this instant.")
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class ShadowRequest:
    """Whether a namespace's jobs are in shadow."""

    shadow: Annotated[
        bool,
        Field(
            "Whether runs are planned, started and recorded as always, but call no target; false to call targets again."
        ),
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class ResumeRequest:
    """The end of a job's pause."""

    catch_up: Annotated[CatchUp, Field("Which occurrences that were due during the pause are replayed.")] = CatchUp.SKIP


@dataclass(frozen=True, kw_only=True, slots=True)
class TriggerRequest:
    """How to trigger a run."""

    payload: Annotated[Any, Field("Passed to the target instead of the job's payload.")] = None
    payload_of: Annotated[
        str | None,
        Field(
            "Id of another run of the job, whose payload the new run gets. Not together with `payload`.",
            check=check_run_id,
        ),
    ] = None
    ignore_overlap: Annotated[
        bool, Field("Ignore the job's overlap policy: start even while other runs are active.")
    ] = False
    node: Annotated[
        str | None,
        Field(
            "The one node of the pool that runs it, whatever the job says. Only for a target that agents run.",
            check=checks.name,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True, slots=True)
class BackfillRequest:
    """A range of a job's past to replay."""

    start: Annotated[datetime, Field("The first instant that may be replayed.", name="from")]
    end: Annotated[datetime, Field("End of the range: the first instant that is not replayed.", name="to")]
    order: Annotated[Order, Field("Which occurrences run first.")] = Order.OLDEST
    concurrency: Annotated[
        int, Field("Maximum runs of the backfill that are active at once.", least=1, most=MOST_AT_ONCE)
    ] = 1
    ignore_overlap: Annotated[
        bool, Field("Ignore the job's overlap policy: start even while other runs are active.")
    ] = False
    dry_run: Annotated[bool, Field("Answer what would be replayed, but start nothing.")] = False


@dataclass(frozen=True, kw_only=True, slots=True)
class RedriveRequest:
    """Which runs to redrive. Overdue runs are sent to the workers again; with `lost`, lost runs are replaced with new ones."""

    run_id: Annotated[str | None, Field("Id of the only run to redrive; without it, all.", check=check_run_id)] = None
    lost: Annotated[bool, Field("Replace each lost run with a new one, at most once.")] = False


@dataclass(frozen=True, kw_only=True, slots=True)
class PurgeRequest:
    """Which runs of a job to remove."""

    before: Annotated[datetime | None, Field("Only runs that were scheduled before this instant; null for all.")] = None


@dataclass(frozen=True, kw_only=True, slots=True)
class NamespaceRedriveRequest:
    """Which runs of a namespace to redrive: the overdue ones, or with `lost` the lost ones."""

    lost: Annotated[bool, Field("Replace each lost run with a new one, at most once.")] = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportedError:
    """Why an attempt's work failed, as its target reports it."""

    type: Annotated[str, Field("The kind of failure, in one word.", check=check_error_type)]
    message: Annotated[str, Field("What went wrong, for people.", most=LONGEST_MESSAGE, check=checks.paragraphs)] = ""
    stack: Annotated[str, Field("The stack trace.", most=LONGEST_STACK, check=checks.paragraphs)] = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportRequest:
    """How an attempt ended, as its target reports it."""

    state: Annotated[str, Field("Whether the work succeeded.", choices=("succeeded", "failed"))]
    result: Annotated[Any, Field("The result: any JSON value, kept with the run.")] = None
    error: Annotated[ReportedError | None, Field("Why it failed; only with `failed`.")] = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgressRequest:
    """The progress of an attempt, as its target reports it."""

    percent: Annotated[int | None, Field("Percentage of the work that is done, if known.", least=0, most=100)] = None
    text: Annotated[str | None, Field("One line for people.", most=LONGEST_LINE, check=checks.one_line)] = None
