"""Requests: the bodies of what is asked of a job, field by field, and which runs are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from minutehand.domain.backfill import MOST_AT_ONCE
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.run import ACTIVE, RunState
from minutehand.entrypoints.api.forms import checks
from minutehand.entrypoints.api.forms.invalid import Forms, problems_of
from minutehand.entrypoints.api.forms.reading import RUN_ID, optional_object
from minutehand.entrypoints.api.forms.types import Instant
from minutehand.entrypoints.api.problems import BadRequest

F = TypeVar("F", bound="Request")


def _run_id(text: str) -> str:
    if not RUN_ID.fullmatch(text):
        raise checks.refused(
            f"{text!r:.80} is no run's id", "write it as a list of runs shows it, such as 20261120T090000Z"
        )
    return text


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


class RedriveRequest(Request):
    """Which runs are to be looked at again: all that are overdue, or one; or, with `lost`, which are to be run again."""

    run_id: Annotated[str, AfterValidator(_run_id)] | None = Field(default=None, description="This run alone.")
    lost: bool = Field(default=False, description="Make a new run in the place of each that was lost, once.")


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


def states_of(query: Mapping[str, str]) -> frozenset[RunState]:
    """The parameter `state`: one state of runs, or `active` for all in which something more happens; none when left out."""
    text = query.get("state")
    if text is None:
        return frozenset()
    if text == "active":
        return ACTIVE
    found = frozenset(state for state in RunState if state.value == text)
    if not found:
        names = ", ".join(state.value for state in RunState)
        raise BadRequest(
            FieldProblem(
                path="state", message=f"{text!r:.60} is no state of a run", hint=f"give active, or one of: {names}"
            )
        )
    return found
