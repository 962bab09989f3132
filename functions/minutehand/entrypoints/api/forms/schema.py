"""The JSON Schemas of jobs and calendars, for editors: `python -m minutehand.entrypoints.api.forms.schema FILE... [--check]`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from minutehand.entrypoints.api.documents.calendar import CalendarDocument
from minutehand.entrypoints.api.documents.job import JobDocument
from minutehand.entrypoints.api.forms.model import form_of

DOCUMENTS: Mapping[str, type] = {"job.schema.json": JobDocument, "calendar.schema.json": CalendarDocument}
"""What each file is made from, by its name."""
_RULES: Mapping[type, Mapping[str, Any]] = {
    JobDocument: {"anyOf": [{"required": ["schedule"]}, {"required": ["depends_on"]}]}
}
"""What a schema says besides its fields."""


def schema_of(cls: type) -> str:
    """The schema as text, made from the form that the API checks with."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **form_of(cls).model_json_schema(),
        **_RULES.get(cls, {}),
    }
    for part in (schema, *schema.get("$defs", {}).values()):
        for field in part["properties"].values():
            field.pop("title", None)  # pydantic repeats the field's name there
    schema["title"] = f"Minutehand {schema['title'].lower()}"
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Write the schemas to files, or with `--check` report by the exit code whether the files are current."""
    check = "--check" in arguments
    files = [Path(argument) for argument in arguments if argument != "--check"]
    if not files or any(file.name not in DOCUMENTS for file in files):
        names = " or ".join(DOCUMENTS)
        sys.stderr.write(
            f"usage: python -m minutehand.entrypoints.api.forms.schema FILE... [--check], each file a {names}\n"
        )
        return 2
    stale = 0
    for file in files:
        text = schema_of(DOCUMENTS[file.name])
        if not check:
            file.write_text(text, encoding="utf-8")
        elif not file.is_file() or file.read_text(encoding="utf-8") != text:
            sys.stderr.write(f"{file} is stale. Run: make generate\n")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
