"""Requests: the bodies of what is asked of a job, field by field, and reading them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from minutehand.domain.backfill import MOST_AT_ONCE
from minutehand.domain.errors import Invalid
from minutehand.entrypoints.api.form_types import Instant
from minutehand.entrypoints.api.invalid import Forms, problems_of
from minutehand.entrypoints.api.reading import optional_object

F = TypeVar("F", bound="Request")


class Request(BaseModel):
    """A body, which may be left out where no field is needed."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class TriggerRequest(Request):
    """A run asked for by hand."""

    payload: Any = Field(default=None, description="Handed to the target in place of the job's.")
    ignore_overlap: bool = Field(default=False, description="Start beside other runs of the job, whatever its policy.")


class BackfillRequest(Request):
    """A range of a job's past that is to be replayed."""

    start: Instant = Field(alias="from", description="The first instant that may be replayed.")
    end: Instant = Field(alias="to", description="The first instant that is not replayed.")
    order: Literal["oldest", "newest"] = Field(default="oldest", description="Which occurrences come first.")
    concurrency: int = Field(default=1, ge=1, le=MOST_AT_ONCE, description="How many of its runs are active at once.")
    ignore_overlap: bool = Field(default=False, description="Start beside other runs of the job, whatever its policy.")
    dry_run: bool = Field(default=False, description="Answer what would be replayed, and replay nothing.")


class ResumeRequest(Request):
    """What becomes of what was named while a job was paused."""

    catch_up: Literal["skip", "latest", "all"] = Field(default="skip", description="Which of it is replayed.")


def read_request(event: Mapping[str, Any], form: type[F]) -> F:
    """What the body of a request says.

    Raises:
        BadRequest, TooLarge: when it is no JSON object.
        Invalid: with every problem of every field.
    """
    try:
        return form.model_validate(optional_object(event))
    except ValidationError as error:
        raise Invalid(*problems_of(error, Forms(by_place={(): form}))) from None
