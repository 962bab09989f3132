"""The JSON Schema of a job, for editors: `python -m minutehand.entrypoints.api.schema FILE [--check]`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from minutehand.entrypoints.api.form import JobForm


def job_schema() -> str:
    """The schema as text, made from the form that the API checks with."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **JobForm.model_json_schema()}
    for form in (schema, *schema["$defs"].values()):
        for field in form["properties"].values():
            field.pop("title", None)  # pydantic repeats the field's name there
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Write the schema to a file, or with `--check` tell by the exit code whether the file is current."""
    check = "--check" in arguments
    names = [argument for argument in arguments if argument != "--check"]
    if len(names) != 1:
        sys.stderr.write("usage: python -m minutehand.entrypoints.api.schema FILE [--check]\n")
        return 2
    file = Path(names[0])
    if not check:
        file.write_text(job_schema(), encoding="utf-8")
        return 0
    if file.is_file() and file.read_text(encoding="utf-8") == job_schema():
        return 0
    sys.stderr.write(f"{file} is stale; make it again: python -m minutehand.entrypoints.api.schema {file}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
