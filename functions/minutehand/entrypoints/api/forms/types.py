"""The types of single fields in the forms: a text with its check, and with what the JSON Schema says of it."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, PlainValidator, StringConstraints, WithJsonSchema

from minutehand.domain.job import NAME
from minutehand.entrypoints.api.forms import checks
from minutehand.schedule.words import LONGEST, MOST_TEXTS

_DURATION = WithJsonSchema({"type": "string", "pattern": "^([0-9]{1,9}[wdhms])+$", "examples": ["90s", "1h30m", "7d"]})

Name = Annotated[str, StringConstraints(pattern=f"^{NAME.pattern}$")]
JobName = Annotated[
    str,
    AfterValidator(checks.job_name),
    WithJsonSchema({"type": "string", "pattern": f"^({NAME.pattern}/)?{NAME.pattern}$"}),
]
LabelKey = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$")]
LabelValue = Annotated[str, StringConstraints(max_length=255), AfterValidator(checks.one_line)]
HeaderName = Annotated[str, AfterValidator(checks.header_name)]
HeaderValue = Annotated[str, StringConstraints(max_length=4096), AfterValidator(checks.header_value)]
Url = Annotated[str, StringConstraints(max_length=2000), AfterValidator(checks.url)]
Ending = Annotated[
    str,
    AfterValidator(checks.ending),
    WithJsonSchema(
        {"type": "string", "pattern": f"^({checks.ENDING.pattern})$", "examples": ["503", "5xx", "timed_out"]}
    ),
]
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
Grace = Annotated[str, AfterValidator(checks.duration("1s", "7d")), _DURATION]
Window = Annotated[str, AfterValidator(checks.duration("1s", "3650d")), _DURATION]
JoinWindow = Annotated[str, AfterValidator(checks.duration("1s", "31d")), _DURATION]
Jitter = Annotated[str, AfterValidator(checks.duration("1s", "24h")), _DURATION]
Wait = Annotated[str, AfterValidator(checks.duration("1s", "12h")), _DURATION]
Retention = Annotated[str, AfterValidator(checks.duration("1d", "3650d")), _DURATION]
Timeout = Annotated[str, AfterValidator(checks.duration("1s", "7d")), _DURATION]
RunTimeout = Annotated[str, AfterValidator(checks.duration("1s", "90d")), _DURATION]
