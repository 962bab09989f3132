"""The JSON Schemas of documents, for editors and for the OpenAPI description."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from minutehand.entrypoints.api.documents.job import JobDocument
from minutehand.entrypoints.api.forms.model import form_of

_RULES: Mapping[type, Mapping[str, Any]] = {
    JobDocument: {"anyOf": [{"required": ["schedule"]}, {"required": ["depends_on"]}]}
}
"""Rules about several fields together, added to the JSON Schema of a type."""


def schema_of(cls: type) -> str:
    """The JSON Schema of a type as text, made from the form that the API checks documents with."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **taken_schema(cls)}
    schema["title"] = f"Minutehand {schema['title'].lower()}"
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def taken_schema(cls: type, ref_template: str = "#/$defs/{model}") -> dict[str, Any]:
    """The JSON Schema of the documents of a type that the API takes; `$defs` has the schemas that it refers to."""
    schema = {**form_of(cls).model_json_schema(ref_template=ref_template), **_RULES.get(cls, {})}
    for part in (schema, *schema.get("$defs", {}).values()):
        for field in part["properties"].values():
            field.pop("title", None)  # pydantic's title only repeats the field's name
    return schema
