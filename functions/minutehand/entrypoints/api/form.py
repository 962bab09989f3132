"""The form of a job: the JSON document as people send it, field by field. The JSON Schema is made from it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    PlainValidator,
    StringConstraints,
    WithJsonSchema,
)

from minutehand.domain.job import NAME
from minutehand.entrypoints.api import checks
from minutehand.schedule.dialect import DIALECTS
from minutehand.schedule.words import LONGEST, MOST_TEXTS

_DURATION = WithJsonSchema({"type": "string", "pattern": "^([0-9]{1,9}[wdhms])+$", "examples": ["90s", "1h30m", "7d"]})

Name = Annotated[str, StringConstraints(pattern=f"^{NAME.pattern}$")]
LabelKey = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$")]
LabelValue = Annotated[str, StringConstraints(max_length=255), AfterValidator(checks.one_line)]
HeaderName = Annotated[str, AfterValidator(checks.header_name)]
HeaderValue = Annotated[str, StringConstraints(max_length=4096), AfterValidator(checks.header_value)]
Url = Annotated[str, StringConstraints(max_length=2000), AfterValidator(checks.url)]
Grace = Annotated[str, AfterValidator(checks.duration("1s", "7d")), _DURATION]
Window = Annotated[str, AfterValidator(checks.duration("1s", "3650d")), _DURATION]
Jitter = Annotated[str, AfterValidator(checks.duration("1s", "24h")), _DURATION]
Instant = Annotated[
    str,
    StringConstraints(max_length=64),
    AfterValidator(checks.instant),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
Texts = Annotated[
    str | list[str],
    PlainValidator(checks.texts),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "maxLength": LONGEST},
                {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MOST_TEXTS},
            ]
        }
    ),
]
Retention = Annotated[str, AfterValidator(checks.duration("1d", "3650d")), _DURATION]
Timeout = Annotated[
    str,
    AfterValidator(
        checks.duration(
            "1s",
            "14m",
            why="a synchronous attempt may take 14 minutes at most: a worker is ended after 15, and needs time to report",
            instead="give 1s to 14m; for longer work, let the target take the work on, answer at once and go on by itself",
        )
    ),
    _DURATION,
]


class TargetForm(BaseModel):
    """What a run does: one HTTP request. A 2xx answer is success."""

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


class JobForm(BaseModel):
    """A job: when it runs, what it does then, and what is to happen when that does not go as planned."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, title="Minutehand job")

    namespace: Name = Field(
        default="default", description="The namespace it is in; the same as in the path, or left out."
    )
    name: Name = Field(default_factory=str, description="Its name; the same as in the path, or left out.")
    description: Annotated[str, AfterValidator(checks.paragraphs)] = Field(
        default="", max_length=1000, description="What it is for, for people."
    )
    owner: Annotated[str, AfterValidator(checks.one_line)] = Field(
        default="", max_length=128, description="Whom to ask about it."
    )
    labels: dict[LabelKey, LabelValue] = Field(
        default_factory=dict,
        max_length=32,
        description="Names and values of one's own, for finding jobs.",
        json_schema_extra={"additionalProperties": False},
    )
    schedule: Texts = Field(
        description="When it runs: a crontab of 5 fields, or 6 with seconds first; @hourly and the like; @every 90s; @manual;"
        " EventBridge's cron(…), rate(…) and at(…). A list of them joins them.",
        examples=["*/5 * * * *", "0 30 9 * * MON-FRI", "@daily", "@every 90s", ["0 9 * * MON-FRI", "0 12 * * SAT"]],
    )
    timezone: str = Field(
        default="UTC",
        max_length=64,
        description="The IANA time zone whose clocks the schedule is read on.",
        examples=["Europe/Paris"],
    )
    dialect: Annotated[str, Field(max_length=64)] | None = Field(
        default=None,
        description="The rules for days and for changes of the clocks; left out, it goes by the schedule's text:"
        " eventbridge for cron(…), rate(…) and at(…), vixie for all else.",
        json_schema_extra={"enum": [*list[JsonValue](sorted(DIALECTS)), None]},
    )
    calendars: list[Name] = Field(
        default_factory=list,
        max_length=8,
        description="Calendars of the namespace; what they hold is blocked.",
        examples=[["holidays"]],
    )
    on_blocked: Literal["skip", "next_day"] = Field(
        default="skip",
        description="What becomes of an occurrence that a calendar blocks: it is skipped, or runs at the same time of the next"
        " day that the calendars allow.",
    )
    start_at: Instant | None = Field(
        default=None, description="The first instant that may be named, in RFC 3339; @every and rate() count from it."
    )
    end_at: Instant | None = Field(default=None, description="The last instant that may be named, in RFC 3339.")
    max_runs: int | None = Field(
        default=None,
        ge=1,
        le=1_000_000_000,
        description="How many occurrences run before the job is finished; runs asked for by hand do not count.",
    )
    jitter: Jitter | None = Field(
        default=None,
        description="Up to how much later than its instant each occurrence starts, chosen by job and instant: 1s to 24h.",
    )
    paused: bool = Field(
        default=False, description="Whether it is kept from running. Left out, it stays as it is; a new job runs."
    )
    target: TargetForm = Field(description="What a run does.")
    payload: Any = Field(default=None, description="Any JSON value, handed to the target.")
    misfire_grace: Grace = Field(default="5m", description="How late a run may begin and still be on time: 1s to 7d.")
    catch_up: Literal["skip", "latest", "all"] = Field(
        default="latest", description="Which of the occurrences that were missed by more than the grace still run."
    )
    catchup_window: Window = Field(
        default="24h", description="How old a missed occurrence may be and still run; at least misfire_grace."
    )
    timeout: Timeout = Field(default="60s", description="The limit of one attempt: 1s to 14m.")
    takeovers: int = Field(
        default=2,
        ge=0,
        le=10,
        description="How often a run whose worker died is started again; 0 means at most once.",
    )
    retention: Retention = Field(default="30d", description="How long its runs are kept: 1d to 3650d.")
    status: Any = Field(
        default_factory=dict,
        description="What the service says about the job; ignored when sent back.",
        json_schema_extra={"readOnly": True},
    )
    warnings: Any = Field(
        default_factory=list,
        description="What may surprise about the schedule, as saving answers it; ignored when sent back.",
        json_schema_extra={"readOnly": True},
    )
    preview: Any = Field(
        default_factory=dict,
        description="What would run, as a dry run answers it; ignored when sent back.",
        json_schema_extra={"readOnly": True},
    )
