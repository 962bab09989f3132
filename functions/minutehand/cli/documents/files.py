"""Reads documents from files, folders and stdin: all of them, with all their errors, before anything is sent to the API."""

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from minutehand.cli.documents.text_error import TextError
from minutehand.cli.failures import failure
from minutehand.client.calls import DEFAULT_NAMESPACE
from minutehand.tools.icalendar.lines import is_ics

Texts = Iterator[tuple[int, Any]]
"""The documents in a text, each with the number of its first line."""

Faults = list[dict[str, Any]]

SUFFIXES = (".yaml", ".yml", ".json")
ICS = ".ics"
STDIN = "-"
LARGEST_FILE = 64 * 2**20
"""Most bytes of one file: tens of thousands of jobs fit, and a device that never ends is noticed."""
_INVALID = "invalid files"
NOTHING_SAVED = "invalid files; nothing was saved"
_MARKS = {
    "job": frozenset({"schedule", "target", "depends_on"}),
    "calendar": frozenset({"dates", "weekly", "periods"}),
}
"""Fields by which a document of the wrong kind is recognized."""
_KINDS = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "a mapping",
    type(None): "empty",
}


@dataclass(frozen=True, kw_only=True)
class Document:
    """A document: `place` is `file:line`, `job` the full name of the job or calendar, `text` the file's, if it is YAML or JSON."""

    place: str
    job: str
    content: dict[str, Any]
    text: str = field(default="", repr=False)

    def at(self, path: str) -> str:
        """The place of a field, `file:line:column`; that of the document if it is not known."""
        from minutehand.cli.documents.positions import position_of  # noqa: PLC0415 - for errors and warnings alone

        file, _, line = self.place.rpartition(":")
        found = position_of(self.text, int(line), path) if self.text else None
        return f"{file}:{found.line}:{found.column}" if found else self.place


def parse_text(source: str, text: str) -> Texts:
    """The documents of a YAML or JSON text; the source's suffix decides which."""
    from minutehand.cli.documents.yaml_json import read_json, read_yaml  # noqa: PLC0415 - loads yaml, which takes long

    if source.lower().endswith(".json"):
        return read_json(text)
    if source == STDIN and text.lstrip().startswith("{"):
        try:
            return iter(list(read_json(text)))
        except TextError:
            return read_yaml(text)  # a YAML mapping may be in braces
    return read_yaml(text)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of document: its `noun`, an `example`, what to do with documents of the `other` kind, the `suffixes` of its files in a
    folder, its parser, and the heading of errors.

    `parse` raises TextError, or an ExceptionGroup of TextErrors.
    """

    noun: str
    example: str
    other: str
    suffixes: tuple[str, ...] = SUFFIXES
    parse: Callable[[str, str], Texts] = parse_text
    refusal: str = NOTHING_SAVED


def job_kind(*, other: str, refusal: str = NOTHING_SAVED) -> Kind:
    """The kind of jobs. other: what to do with a calendar."""

    def parse(source: str, text: str) -> Texts:
        if source.lower().endswith(ICS) or is_ics(text):
            raise TextError(message="this is an iCalendar file, which holds a calendar, not jobs", line=1, hint=other)
        return parse_text(source, text)

    example = 'a job looks like `name: hello`, `schedule: "@hourly"`, `target: {type: http, url: …}`'
    return Kind(noun="job", example=example, other=other, parse=parse, refusal=refusal)


JOBS = job_kind(other="save a calendar with `minutehand calendar apply`")


def read_documents(
    sources: Sequence[str], stdin: BinaryIO, *, namespace: str | None, kind: Kind = JOBS
) -> list[Document]:
    """All documents of files, of folders (recursively), and of stdin for `-`.

    namespace: for documents without one; None is the default namespace.
    Raises Failure (exit 2) with all errors: unreadable text (`file:line:column`), not a mapping, no name, a duplicate.
    """
    faults: Faults = []
    found: dict[str, Document] = {}
    for source in _files(sources, faults, kind.suffixes):
        for place, content, text in _contents(source, stdin, faults, kind.parse):
            fault = _fault_of(content, namespace, kind)
            if fault is not None:
                faults.append(_fault(place, *fault))
                continue
            within = content.get("namespace") or namespace or DEFAULT_NAMESPACE
            name = f"{within}/{content['name']}"
            document = Document(place=place, job=name, content={**content, "namespace": within}, text=text)
            first = found.setdefault(name, document)
            if first is not document:
                message = f"{name} is a duplicate; the first is at {first.place}"
                faults.append(_fault(place, message, "rename or remove one of them"))
    if not faults and not found:
        faults.append(_fault(" ".join(map(shown, sources)), f"it contains no {kind.noun}"))
    if faults:
        raise failure(_INVALID, kind.refusal, errors=faults)
    return list(found.values())


def read_contents(sources: Sequence[str], stdin: BinaryIO, kind: Kind) -> list[tuple[str, Any]]:
    """All documents of files, of folders and of stdin, whatever they are, each with its place. Raises Failure (exit 2) with all
    errors."""
    faults: Faults = []
    found = [
        (place, content)
        for source in _files(sources, faults, kind.suffixes)
        for place, content, _ in _contents(source, stdin, faults, kind.parse)
    ]
    if not faults and not found:
        faults.append(_fault(" ".join(map(shown, sources)), f"it contains no {kind.noun}", kind.other))
    if faults:
        raise failure(_INVALID, kind.refusal, errors=faults)
    return found


def read_template(source: str, stdin: BinaryIO) -> dict[str, Any]:
    """Read a file with fields that all imported jobs get, such as their target: one mapping. Raises Failure (exit 2)."""
    faults: Faults = []
    found = list(_contents(source, stdin, faults, parse_text))
    if not faults and (len(found) != 1 or not isinstance(found[0][1], dict)):
        message = "a template is one mapping, with the fields that all jobs share"
        faults.append(_fault(shown(source), message, "such as target: {type: http, url: …}"))
    elif not faults and (fault := _json_fault(found[0][1])):
        faults.append(_fault(found[0][0], *fault))
    if faults:
        raise failure(_INVALID, NOTHING_SAVED, errors=faults)
    template: dict[str, Any] = found[0][1]
    return template


def _files(sources: Sequence[str], faults: Faults, suffixes: Sequence[str]) -> Iterator[str]:
    done: set[str] = set()
    for source in sources:
        paths = [source]
        if source != STDIN and os.path.isdir(source):  # noqa: PTH112 - Path's raises for a name that is too long
            paths = [str(path) for path in sorted(Path(source).rglob("*")) if _counts(path, Path(source), suffixes)]
            if not paths:
                faults.append(_fault(source, f"this folder and its subfolders have no {', '.join(suffixes)} file"))
        for path in paths:
            identity = path if path == STDIN else os.path.realpath(path)
            if identity not in done:
                done.add(identity)
                yield path


def shown(source: str) -> str:
    """The name of a file, or of stdin, in messages."""
    return "<stdin>" if source == STDIN else source


def _counts(path: Path, folder: Path, suffixes: Sequence[str]) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return path.suffix.lower() in suffixes and not hidden and os.path.isfile(path)  # noqa: PTH113 - Path's raises for a loop of links


def _contents(
    source: str, stdin: BinaryIO, faults: Faults, parse: Callable[[str, str], Texts]
) -> Iterator[tuple[str, Any, str]]:
    """Each document of a file, with its place and the whole text."""
    place = shown(source)
    try:
        with contextlib.nullcontext(stdin) if source == STDIN else Path(source).open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            faults.append(
                _fault(place, f"it is larger than {LARGEST_FILE // 2**20} MiB", "split it into several files")
            )
            return
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        faults.append(_fault(place, f"it is not UTF-8: byte {error.start + 1}", "save it as UTF-8"))
        return
    except OSError as error:
        faults.append(_fault(place, f"it cannot be read: {error.strerror}"))
        return
    try:
        for line, content in parse(source, text):
            yield f"{place}:{line}", content, text
    except* TextError as group:
        faults.extend(_faults_in(place, group))


def _faults_in(place: str, group: BaseExceptionGroup[TextError]) -> Iterator[dict[str, Any]]:
    for error in group.exceptions:
        if isinstance(error, TextError):
            column = f":{error.column}" if error.column is not None else ""
            yield _fault(f"{place}:{error.line}{column}", error.message, error.hint)
        else:
            yield from _faults_in(place, error)


def _fault_of(content: Any, namespace: str | None, kind: Kind) -> tuple[str, str | None] | None:
    """The error and the hint for a document that cannot be sent to the API; None for any other."""
    if not isinstance(content, dict):
        return (
            f"this document is {_KINDS.get(type(content), type(content).__name__)}, not a mapping",
            f"{kind.example}; `---` separates several",
        )
    noun = next((noun for noun, marks in _MARKS.items() if noun != kind.noun and marks & content.keys()), None)
    if noun is not None and not _MARKS[kind.noun] & content.keys():
        return f"this document is a {noun}, not a {kind.noun}", kind.other
    name, within = content.get("name"), content.get("namespace")
    if name is None or name == "":
        return f"this {kind.noun} has no name", kind.example
    fault = _text_fault("name", name) or _text_fault("namespace", within)
    if fault is None and namespace is not None and within and within != namespace:
        fault = f"it is in namespace {within!r}, but --namespace is {namespace!r}", "remove one of them"
    return fault or _json_fault(content)


def _text_fault(field: str, value: Any) -> tuple[str, str] | None:
    if value is not None and not isinstance(value, str):
        return (
            f"{field} is {_KINDS.get(type(value), type(value).__name__)}, not text",
            f'put it in quotes: {field}: "{value}"',
        )
    if value is not None and "/" in value:
        before, _, after = value.partition("/")
        return f"{field} {value!r} must not contain a slash", f"write namespace: {before} and name: {after}"
    return None


def _json_fault(content: Any) -> tuple[str, str] | None:
    try:
        json.dumps(content, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        hint = "use strings, numbers, true, false, null, lists and mappings"
        return f"it is not representable as JSON: {error}", hint
    return None


def _fault(place: str, message: str, hint: str | None = None) -> dict[str, Any]:
    return {"path": place, "message": message, "hint": hint}
