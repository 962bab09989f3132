"""Reads exports of other schedulers, and the targets that complete their jobs."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, BinaryIO

from minutehand.cli.documents.files import STDIN, SUFFIXES, Kind, Texts, parse_text, read_contents, read_template
from minutehand.cli.documents.text_error import TextError
from minutehand.cli.documents.yaml_json import read_json
from minutehand.cli.failures import failure
from minutehand.tools.importers.completion import Completion, CompletionFault, make_completion
from minutehand.tools.importers.drafts import Exported
from minutehand.tools.importers.exports import ExportFault
from minutehand.tools.importers.running import System
from minutehand.tools.importers.systems import TEXT_READERS

NOTHING_IMPORTED = "the export cannot be imported; nothing was written"
_GUIDE = "docs/how-to/moving-in.md says how to export each system's jobs"


def read_exports(system: System, sources: Sequence[str], stdin: BinaryIO) -> list[Exported]:
    """All documents of the exports of a system. Raises Failure (exit 2) with all errors."""
    suffixes = tuple(suffix for name, suffix in TEXT_READERS if name == system.name)

    def parse(source: str, text: str) -> Texts:
        suffix = PurePath(source).suffix.lower()
        if not suffixes or suffix in SUFFIXES:
            return _documents(source, text)
        if suffix not in suffixes:
            if text.lstrip().startswith(("{", "[")):
                return _documents(source, text)
            suffix = suffixes[0]
        return _text_documents(system, suffix, text)

    kind = Kind(
        noun=f"export of {system.title}",
        example="",
        other=_GUIDE,
        suffixes=(*SUFFIXES, *suffixes),
        parse=parse,
        refusal=NOTHING_IMPORTED,
    )
    return [Exported(place=place, content=content) for place, content in read_contents(sources, stdin, kind)]


def read_completion(
    source: str | None, stdin: BinaryIO, *, url: str | None, headers: Sequence[tuple[str, str]]
) -> Completion:
    """The targets in a file, if one is given, with a URL and headers for the rest. Raises Failure (exit 2)."""
    targets: dict[str, Any] = {} if source is None else read_template(source, stdin)
    try:
        return make_completion(targets, url=url, headers=headers)
    except CompletionFault as error:
        place = error.path if error.path.startswith("--") else f"{source}: {error.path}"
        field = {"path": place, "message": error.message, "hint": error.hint}
        raise failure("invalid target", NOTHING_IMPORTED, errors=[field]) from error


def _documents(source: str, text: str) -> Texts:
    """YAML or JSON. Exports of several objects are often JSON in files of other names, or on stdin."""
    if source == STDIN or PurePath(source).suffix.lower() not in SUFFIXES:
        try:
            return iter(list(read_json(text)))
        except TextError:
            return parse_text(source, text)
    return parse_text(source, text)


def _text_documents(system: System, suffix: str, text: str) -> Texts:
    try:
        yield from TEXT_READERS[system.name, suffix](text)
    except ExportFault as error:
        raise TextError(message=error.message, line=error.line, hint=error.hint) from error


def unfit(names: Sequence[str], source: str | None) -> Exception:
    """The failure for targets that fit no job of the export."""
    hint = "write the name of a job, of its entry in the old system, or of its task; * is for all jobs without a target"
    errors = [{"path": f"{source}: {name}", "message": "no job of the export has this name or task"} for name in names]
    return failure("unused targets", NOTHING_IMPORTED, errors=errors, hint=hint)
