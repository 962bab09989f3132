"""The forms inside a job's: its target, how it is retried, a parent, and a pause that ends by itself."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from minutehand.entrypoints.api.forms import checks
from minutehand.entrypoints.api.forms.types import (
    Ending,
    HeaderName,
    HeaderValue,
    Instant,
    JobName,
    Timeout,
    Url,
    Wait,
)

MOST_ENDINGS = 32


class TargetForm(BaseModel):
    """What a run does: one HTTP request. A 2xx answer is success, or the promise of a later answer."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, title="HTTP target")

    type: Literal["http"] = Field(description="What kind of target it is.")
    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] = Field(
        default="POST", description="The request's method."
    )
    url: Url = Field(
        description="An http or https URL without user or password.",
        json_schema_extra={"format": "uri", "pattern": "^https?://"},
    )
    headers: Annotated[dict[HeaderName, HeaderValue], AfterValidator(checks.all_headers)] = Field(
        default_factory=dict,
        max_length=32,
        description="Sent along, as written; they are stored and shown as given.",
        json_schema_extra={"propertyNames": {"pattern": f"^{checks.TOKEN.pattern}$"}},
    )
    mode: Literal["auto", "sync", "callback"] = Field(
        default="auto",
        description="When the answer comes: with the call, unless that is answered by 202, then later (auto); with the call"
        " (sync); later, and any 2xx says that the work was taken on (callback).",
    )
    heartbeat: Timeout | None = Field(
        default=None,
        description="How often a target that answers later must say that it is alive: 1s up to less than timeout.",
    )


class BackoffForm(BaseModel):
    """How long to wait before the next attempt."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, title="Back-off")

    initial: Wait = Field(default="10s", description="The wait after the first attempt: 1s to 12h.")
    factor: float = Field(
        default=2, ge=1, le=10, description="By how much each further wait is longer than the one before."
    )
    max: Wait = Field(default="15m", description="The longest wait: 1s to 12h.")
    jitter: float = Field(
        default=0.1, ge=0, le=1, description="By which share, at most, a wait is made shorter or longer."
    )


class RetryForm(BaseModel):
    """Which attempts that did not succeed are followed by another."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, title="Retry")

    max_attempts: int = Field(default=1, ge=1, le=20, description="How many attempts a run has; the first one counts.")
    backoff: BackoffForm = Field(default_factory=BackoffForm, description="How long to wait before the next one.")
    retry_on: list[Ending] = Field(
        default_factory=list,
        max_length=MOST_ENDINGS,
        description="What is retried: statuses (503), classes of them (5xx), types of errors, timed_out. Left out: everything.",
        examples=[["5xx", "429", "timed_out"]],
    )
    give_up_on: list[Ending] = Field(
        default_factory=list,
        max_length=MOST_ENDINGS,
        description="What is not, whatever retry_on says.",
        examples=[["501", "Redirect"]],
    )


class DependencyForm(BaseModel):
    """A parent: a job whose end makes this one run."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, title="Parent")

    job: JobName = Field(description="Its name, with its namespace where that is another: namespace/name.")
    on: Literal["success", "failure", "end", "skipped"] = Field(
        default="success",
        description="How its run must have ended: succeeded; failed, timed out or lost; in any of these ways or cancelled; skipped.",
    )


class PauseForm(BaseModel):
    """A pause that ends by itself."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, title="Pause")

    until: Instant = Field(description="The first instant that may be named again, in RFC 3339.")
