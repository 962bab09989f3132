"""The policies of a job for missed, blocked, overlapping, failed and dependent runs."""

from __future__ import annotations

from datetime import timedelta
from enum import Enum
from typing import Annotated, NamedTuple

from minutehand.domain.declaration import checks
from minutehand.domain.declaration.field import Field
from minutehand.domain.job_key import JobKey

_OUTCOMES = Field(most=32, check=checks.attempt_outcome, pattern=f"^({checks.ATTEMPT_OUTCOME.pattern})$", numbers=True)


class CatchUp(Enum):
    """Policy for missed occurrences: those later than `misfire_grace` when a tick finds them."""

    SKIP = "skip"
    """No missed occurrence runs."""
    LATEST = "latest"
    """Only the latest missed occurrence runs, if it is within `catchup_window`."""
    ALL = "all"
    """Every missed occurrence within `catchup_window` runs."""


class OnBlocked(Enum):
    """Policy for an occurrence that a calendar blocks."""

    SKIP = "skip"
    """The blocked occurrence does not run, and a record says so."""
    NEXT_DAY = "next_day"
    """The blocked occurrence runs at the same time of the next open day. One run serves both if the schedule names that time."""


class Overlap(Enum):
    """Policy for a run that is due while an earlier one of the same job is active."""

    ALLOW = "allow"
    """The run starts beside the earlier one."""
    SKIP = "skip"
    """The run is skipped, and its `blocked_by` names the earlier one."""
    QUEUE_ONE = "queue_one"
    """The run waits for the earlier one to end; while a run waits, later ones are skipped."""
    QUEUE_ALL = "queue_all"
    """The run waits, and so do all later ones; they start one by one, oldest first."""
    REPLACE = "replace"
    """The earlier run is cancelled, and the new one starts once the earlier one has ended."""


class Backoff(NamedTuple):
    """The wait before the next attempt."""

    initial: Annotated[timedelta, Field("The wait after the first attempt.", least="1s", most="12h")] = timedelta(
        seconds=10
    )
    factor: Annotated[
        float, Field("How many times as long as the one before each further wait is, up to max.", least=1, most=10)
    ] = 2.0
    max: Annotated[
        timedelta,
        Field(
            "The longest wait, also for a target that asks for a longer one (Retry-After); at least initial.",
            least="1s",
            most="12h",
        ),
    ] = timedelta(minutes=15)
    jitter: Annotated[
        float,
        Field(
            "The largest share by which a wait is shortened or lengthened; a hash of job, run and attempt chooses.",
            least=0,
            most=1,
        ),
    ] = 0.1


class Retry(NamedTuple):
    """Which failed attempts are followed by another. Attempts that take over from a dead worker do not count."""

    max_attempts: Annotated[
        int,
        Field(
            "Attempts of a run at most, the first included and take-overs excluded; required if another field is "
            "given.",
            least=1,
            most=20,
        ),
    ] = 1
    backoff: Annotated[Backoff, Field("The wait before the next attempt.")] = Backoff()
    retry_on: Annotated[
        tuple[str, ...],
        _OUTCOMES._replace(
            description="Outcomes that are retried: a status (503), a class (5xx), a type of error (ConnectionRefused), "
            "timed_out. By default, all.",
            examples=(["5xx", "429", "timed_out"],),
        ),
    ] = ()
    give_up_on: Annotated[
        tuple[str, ...],
        _OUTCOMES._replace(
            description="Outcomes that are never retried, whatever retry_on says.",
            examples=(["501", "Redirect"],),
        ),
    ] = ()


ONE_TRY = Retry()
"""The default of `retry`: one attempt, no retries."""


class On(Enum):
    """How a parent's run must have ended to start runs of the jobs that depend on it."""

    SUCCESS = "success"
    """The parent's run succeeded."""
    FAILURE = "failure"
    """The parent's run failed, timed out or was lost."""
    END = "end"
    """The parent's run ended in any way but skipped."""
    SKIPPED = "skipped"
    """The parent's run was skipped."""


class Dependency(NamedTuple):
    """A parent: a job whose runs, when they end, start runs of this job."""

    job: Annotated[
        JobKey,
        Field(
            "The parent: `namespace/name`, or `name` in the same namespace. A parent in another namespace "
            "requires a token that may read it.",
            check=checks.job_name,
            pattern=f"^({checks.NAME.pattern}/)?{checks.NAME.pattern}$",
        ),
    ]
    on: Annotated[
        On,
        Field(
            "How the parent's run must end: success; failure (failed, timed out, lost); end (any of these, or cancelled); "
            "skipped."
        ),
    ] = On.SUCCESS


class NamedLimit(NamedTuple):
    """A concurrency limit, shared by the jobs of a namespace that give its name."""

    name: Annotated[
        str,
        Field("The limit's name, such as that of a database.", check=checks.name, pattern=f"^{checks.NAME.pattern}$"),
    ]
    max: Annotated[
        int,
        Field(
            "Most attempts of these jobs together in progress at once. Give the same max in each of them; a job with a lower "
            "one may use only as many of the limit's slots.",
            least=1,
            most=1000,
        ),
    ]


class Join(Enum):
    """How many parents must have a run that ended as `on` requires before the dependent job runs."""

    ALL = "all"
    """A run starts only when every parent has a run that ended as its dependency requires."""
    ANY = "any"
    """A run starts when one parent has a run that ended as its dependency requires."""
