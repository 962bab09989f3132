"""Generate files from the API's declarations: `python -m minutehand.entrypoints.api.generate [--check]`, in a checkout.

- the SDK's types, `client/models.py`, and those of the options of `@job`, `handlers/job_options.py`;
- the OpenAPI description, `openapi.json`, with the examples of docs/reference/api-examples.json;
- the JSON Schemas of jobs and calendars, for editors;
- the tables in docs/reference/api.md, targets.md and metrics.md, between their markers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from minutehand.entrypoints.api import openapi
from minutehand.entrypoints.api.documents.calendar import CalendarDocument
from minutehand.entrypoints.api.documents.job import JobDocument
from minutehand.entrypoints.api.forms.schema import schema_of
from minutehand.entrypoints.api.option_types import module as option_types
from minutehand.entrypoints.api.reference import with_tables
from minutehand.entrypoints.api.sdk_types import module

ROOT = Path(__file__).parents[4]
_REFERENCE = ROOT / "docs" / "reference"
FILES: Mapping[Path, Callable[[str], str]] = {
    ROOT / "functions" / "minutehand" / "client" / "models.py": lambda _: module(),
    ROOT / "functions" / "minutehand" / "handlers" / "job_options.py": lambda _: option_types(),
    Path(__file__).with_name("openapi.json"): lambda _: openapi.text(
        (_REFERENCE / "api-examples.json").read_text("utf-8")
    ),
    _REFERENCE / "job.schema.json": lambda _: schema_of(JobDocument),
    _REFERENCE / "calendar.schema.json": lambda _: schema_of(CalendarDocument),
    _REFERENCE / "api.md": with_tables,
    _REFERENCE / "targets.md": with_tables,
    _REFERENCE / "metrics.md": with_tables,
}
"""The generated files, each with a function that takes the file's present text and returns its new text."""


def main(arguments: list[str]) -> int:
    """Write the files that are not current; with `--check`, write nothing, name them and return 1 if there are any."""
    stale = []
    for file, new_text in FILES.items():
        before = file.read_text(encoding="utf-8") if file.is_file() else ""
        after = new_text(before)
        if after != before:
            stale.append(file.relative_to(ROOT))
            if "--check" not in arguments:
                file.write_text(after, encoding="utf-8")
    if "--check" in arguments and stale:
        sys.stderr.write(f"{', '.join(map(str, stale))}: stale. Run: make generate\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
