"""The JSON Schemas of jobs and calendars, for editors: `python -m minutehand.entrypoints.api.forms.schema FILE... [--check]`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel

from minutehand.entrypoints.api.forms.calendar import CalendarForm
from minutehand.entrypoints.api.forms.job import JobForm

FORMS: Mapping[str, type[BaseModel]] = {"job.schema.json": JobForm, "calendar.schema.json": CalendarForm}
"""What each file is made from, by its name."""


def schema_of(form: type[BaseModel]) -> str:
    """The schema as text, made from the form that the API checks with."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **form.model_json_schema()}
    for part in (schema, *schema.get("$defs", {}).values()):
        for field in part["properties"].values():
            field.pop("title", None)  # pydantic repeats the field's name there
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Write the schemas to files, or with `--check` tell by the exit code whether the files are current."""
    check = "--check" in arguments
    files = [Path(argument) for argument in arguments if argument != "--check"]
    if not files or any(file.name not in FORMS for file in files):
        names = " or ".join(FORMS)
        sys.stderr.write(
            f"usage: python -m minutehand.entrypoints.api.forms.schema FILE... [--check], each file a {names}\n"
        )
        return 2
    stale = 0
    for file in files:
        text = schema_of(FORMS[file.name])
        if not check:
            file.write_text(text, encoding="utf-8")
        elif not file.is_file() or file.read_text(encoding="utf-8") != text:
            sys.stderr.write(
                f"{file} is stale; make it again: python -m minutehand.entrypoints.api.forms.schema {file}\n"
            )
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
