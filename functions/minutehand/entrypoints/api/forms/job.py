"""The form of a job: the JSON document as people send it, field by field. The JSON Schema is made from it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, JsonValue, Tag

from minutehand.domain.dependencies import MOST_PARENTS
from minutehand.domain.durations import format_duration
from minutehand.domain.job import MAX_CATCH_UP
from minutehand.domain.retention import DEFAULT_RETENTION
from minutehand.entrypoints.api.forms import checks
from minutehand.entrypoints.api.forms.parts import DependencyForm, PauseForm, RetryForm, TargetForm
from minutehand.entrypoints.api.forms.types import (
    Grace,
    Instant,
    Jitter,
    JoinWindow,
    LabelKey,
    LabelValue,
    Name,
    Retention,
    RunTimeout,
    Texts,
    Timeout,
    Window,
)
from minutehand.schedule.dialect import DIALECTS

MANUAL = "@manual"
"""The schedule of a job that says nothing of it: its parents make it run."""
TAGS = frozenset(("<flag>", "<until>"))
"""What pydantic puts into the place of an error, in between the names of fields."""


def _kind_of_pause(value: object) -> str:
    return "<until>" if isinstance(value, dict | PauseForm) else "<flag>"


Paused = Annotated[Annotated[bool, Tag("<flag>")] | Annotated[PauseForm, Tag("<until>")], Discriminator(_kind_of_pause)]


class JobForm(BaseModel):
    """A job: when it runs, what it does then, and what is to happen when that does not go as planned."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        title="Minutehand job",
        json_schema_extra={"anyOf": [{"required": ["schedule"]}, {"required": ["depends_on"]}]},
    )

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
        default=MANUAL,
        description="When it runs: a crontab of 5 fields, or 6 with seconds first; @hourly and the like; @every 90s; @after 10m,"
        " which counts from the end of the run before; @manual; EventBridge's cron(…), rate(…) and at(…). A list of them joins"
        " them. With depends_on it may be left out.",
        examples=[
            "*/5 * * * *",
            "0 30 9 * * MON-FRI",
            "@daily",
            "@every 90s",
            "@after 10m",
            ["0 9 * * MON-FRI", "0 12 * * SAT"],
        ],
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
        description="How many occurrences are dispatched before the job is finished; runs asked for by hand do not count.",
    )
    jitter: Jitter | None = Field(
        default=None,
        description="Up to how much later than its instant each occurrence starts, chosen by job and instant: 1s to 24h.",
    )
    depends_on: list[DependencyForm] = Field(
        default_factory=list,
        max_length=MOST_PARENTS,
        description="The jobs whose runs' ends make it run.",
        examples=[[{"job": "extract", "on": "success"}]],
    )
    join: Literal["all", "any"] = Field(
        default="all", description="Whether it takes the end of every parent's run, or of any one."
    )
    join_window: JoinWindow | None = Field(
        default=None,
        description="Over how much nominal time the parents' runs belong together: 1s to 31d. Left out: those of one instant.",
        examples=["1d"],
    )
    paused: Paused = Field(
        default=False,
        description="Whether it is kept from running, or until when. Left out, it stays as it is; a new job runs.",
        examples=[True, {"until": "2026-12-01T09:00:00Z"}],
    )
    target: TargetForm = Field(description="What a run does.")
    payload: Any = Field(default=None, description="Any JSON value, handed to the target.")
    misfire_grace: Grace = Field(
        default="5m", description="How late a tick may find an occurrence and have it run as on time: 1s to 7d."
    )
    catch_up: Literal["skip", "latest", "all"] = Field(
        default="latest", description="Which of the occurrences that were missed by more than the grace still run."
    )
    catchup_window: Window = Field(
        default="24h", description="How old a missed occurrence may be and still run; at least misfire_grace."
    )
    max_catch_up: int = Field(
        default=MAX_CATCH_UP,
        ge=1,
        le=150,
        description="How many missed occurrences are dispatched a minute at most, spread evenly over it.",
    )
    overlap: Literal["allow", "skip", "queue_one", "queue_all", "replace"] = Field(
        default="allow",
        description="What happens when a run is to start while an earlier one is active: it starts, is skipped, waits (one at"
        " most, or all), or has the earlier one cancelled. A fixed delay never overlaps: allow counts as skip.",
    )
    max_concurrency: int | None = Field(
        default=None,
        ge=1,
        le=100,
        description="How many attempts of its runs may be under way at once; the others wait.",
    )
    timeout: Timeout = Field(
        default="60s",
        description="The limit of one attempt, from its start to its answer: 1s to 14m; to 7d where the target answers later.",
    )
    run_timeout: RunTimeout | None = Field(
        default=None,
        description="The limit of the whole run, from the start of its first attempt: at least timeout, at most 90d.",
    )
    retry: RetryForm = Field(
        default_factory=RetryForm, description="Which attempts that did not succeed are followed by another."
    )
    takeovers: int = Field(
        default=2,
        ge=0,
        le=10,
        description="How often a run whose worker died is started again; 0 means at most once.",
    )
    retention: Retention = Field(
        default=format_duration(DEFAULT_RETENTION), description="How long its runs are kept: 1d to 3650d."
    )
    retention_count: int | None = Field(
        default=None, ge=1, le=10_000, description="How many of its runs are kept at most, the newest."
    )
    record_units: bool = Field(
        default=False, description="Whether each of its runs notes what it uses: capacity units, calls, messages, time."
    )
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
    backfill: Any = Field(
        default=None,
        description="What a resume replays, as resuming answers it; ignored when sent back.",
        json_schema_extra={"readOnly": True},
    )
