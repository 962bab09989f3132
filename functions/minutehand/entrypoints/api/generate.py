"""Files made from the API's declarations: `python -m minutehand.entrypoints.api.generate [--check]`, in a checkout.

- the SDK's types, `client/models.py`;
- the JSON Schemas of jobs and calendars, for editors;
- the tables of the API reference, between its markers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from minutehand.entrypoints.api.documents.calendar import CalendarDocument
from minutehand.entrypoints.api.documents.job import JobDocument
from minutehand.entrypoints.api.forms.schema import schema_of
from minutehand.entrypoints.api.reference import with_tables
from minutehand.entrypoints.api.sdk_types import module

ROOT = Path(__file__).parents[4]
_REFERENCE = ROOT / "docs" / "reference"
FILES: Mapping[Path, Callable[[str], str]] = {
    ROOT / "functions" / "minutehand" / "client" / "models.py": lambda _: module(),
    _REFERENCE / "job.schema.json": lambda _: schema_of(JobDocument),
    _REFERENCE / "calendar.schema.json": lambda _: schema_of(CalendarDocument),
    _REFERENCE / "api.md": with_tables,
}
"""Every generated file, with what makes its text from its present one."""


def main(arguments: list[str]) -> int:
    """Write the files, or with `--check` report by the exit code whether they are current."""
    stale = []
    for file, made in FILES.items():
        before = file.read_text(encoding="utf-8") if file.is_file() else ""
        after = made(before)
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
