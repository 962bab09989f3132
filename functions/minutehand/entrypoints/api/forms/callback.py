"""The forms of what targets say of an attempt by themselves: that it has ended, how far it is, that they are alive."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from minutehand.entrypoints.api.forms import checks

LONGEST_MESSAGE = 4000
LONGEST_LINE = 200
_TYPE = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,63}", re.ASCII)
Line = Annotated[str, StringConstraints(max_length=LONGEST_LINE), AfterValidator(checks.one_line)]
_STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)


def _error_type(text: str) -> str:
    if not _TYPE.fullmatch(text):
        hint = "write one word that tells this kind of failure from others, such as DiskFull: at most 64 of A-Z, a-z, 0-9, `_` and `.`"
        raise checks.refused(f"{text!r:.60} is not the type of an error", hint)
    return text


class ErrorForm(BaseModel):
    """Why the work did not succeed."""

    model_config = _STRICT

    type: Annotated[str, AfterValidator(_error_type)] = Field(description="What kind of failure it is, in one word.")
    message: Annotated[str, AfterValidator(checks.paragraphs)] = Field(
        default="", max_length=LONGEST_MESSAGE, description="What went wrong, for people."
    )


class ReportForm(BaseModel):
    """How an attempt has ended."""

    model_config = _STRICT

    state: Literal["succeeded", "failed"] = Field(description="Whether the work is done.")
    result: JsonValue = Field(default=None, description="What came of it: any JSON, kept with the run.")
    error: ErrorForm | None = Field(default=None, description="Why it failed; only with `failed`.")


class ProgressForm(BaseModel):
    """How far an attempt is."""

    model_config = _STRICT

    percent: int | None = Field(default=None, ge=0, le=100, description="How much is done, where that is known.")
    text: Line | None = Field(default=None, description="One line for people.")
