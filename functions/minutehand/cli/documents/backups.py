"""Backups: files with what `minutehand export` wrote, one JSON value a line. The first line is a heading, the last counts the others."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from minutehand.cli.documents.files import LARGEST_FILE, STDIN
from minutehand.cli.failures import Failure, failure

SUFFIX = ".jsonl"
FORMAT = "minutehand export 1"
_KINDS = ("namespace", "calendar", "job")
_NO_ITEM = "this is neither a job, a calendar nor a namespace"
_TITLE, _DETAIL = "invalid backup", "this is not a whole backup; nothing was saved"
_HINT = "write it again with `minutehand export`"


def backup_lines(items: Iterable[Mapping[str, Any]], heading: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a backup, each with its line end."""
    yield _line({"format": FORMAT, **heading})
    count = 0
    for item in items:
        yield _line(item)
        count += 1
    yield _line({"items": count})


def read_backups(files: Sequence[str], stdin: BinaryIO) -> list[dict[str, Any]]:
    """The items of all backups in files, folders (`*.jsonl`) and stdin.

    Raises:
        Failure: for a file that is none, or that lacks its end; with the line.
    """
    items: list[dict[str, Any]] = []
    for place in files:
        for path in _paths(place):
            name = "<stdin>" if path is None else str(path)
            items += _items(name, _bytes(path, stdin, name))
    return items


def _paths(place: str) -> list[Path | None]:
    if place == STDIN:
        return [None]
    path = Path(place)
    if not path.is_dir():
        return [path]
    found: list[Path | None] = [*sorted(path.rglob(f"*{SUFFIX}"))]
    if not found:
        raise _wrong(place, f"the folder has no {SUFFIX} file", "name the file, or give it this suffix")
    return found


def _bytes(path: Path | None, stdin: BinaryIO, name: str) -> bytes:
    try:
        if path is None:
            data = stdin.read(LARGEST_FILE + 1)
        else:
            with path.open("rb") as file:
                data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise _wrong(name, f"it cannot be read: {error.strerror}") from error
    if len(data) > LARGEST_FILE:
        raise _wrong(name, f"it has more than {LARGEST_FILE:,} bytes", "export each namespace into a file of its own")
    return data


def _items(name: str, data: bytes) -> list[dict[str, Any]]:
    values = [_value(line) for line in data.splitlines()]
    if not values or isinstance(values[0], str) or values[0].get("format") != FORMAT:
        message = (
            values[0] if values and isinstance(values[0], str) else f"this is not the heading of a backup: {FORMAT}"
        )
        raise _wrong(f"{name}:1", message, _HINT)
    last, between = values[-1], len(values) - 2
    if isinstance(last, str) or last.keys() != {"items"}:
        message = last if isinstance(last, str) else "the end of the backup is missing"
        raise _wrong(f"{name}:{len(values)}", message, _HINT)
    items = [value for value in values[1:-1] if isinstance(value, dict) and _is_item(value)]
    if len(items) < between:
        raise _unusable(name, values)
    if last["items"] != between:
        message = f"the last line counts {last['items']!r:.20} items, but there are {between} before it"
        raise _wrong(
            f"{name}:{len(values)}", message, f'if you left lines out, write {{"items": {between}}}; else {_HINT}'
        )
    return items


def _is_item(value: Mapping[str, Any]) -> bool:
    return value.get("kind") in _KINDS and isinstance(value.get("document"), dict)


def _unusable(name: str, values: Sequence[dict[str, Any] | str]) -> Failure:
    """The failure for lines that are no item, with how to leave them out."""
    errors = [
        {"path": f"{name}:{number}", "message": value if isinstance(value, str) else _NO_ITEM, "hint": None}
        for number, value in enumerate(values[1:-1], 2)
        if isinstance(value, str) or not _is_item(value)
    ]
    one = len(errors) == 1
    detail = f"{len(errors)} of {len(values)} lines {'is' if one else 'are'} no item of a backup; nothing was saved"
    last = json.dumps({"items": len(values) - 2 - len(errors)})
    hint = f"to save the others, delete {'this line' if one else 'these lines'}, and let the last line be {last}; or {_HINT}"
    return failure(_TITLE, detail, errors=errors, hint=hint)


def _value(line: bytes) -> dict[str, Any] | str:
    """The object in a line, or what is wrong with it."""
    try:
        value = json.loads(line)
        json.dumps(value, ensure_ascii=False).encode()  # as it will be sent
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        return f"\\u{code:04x} is half of a character, without the other half"
    except json.JSONDecodeError as error:
        return f"this is not JSON: {error.msg}, at column {error.colno}"
    except UnicodeDecodeError as error:
        return f"this is not UTF-8: byte {error.start + 1}"
    except RecursionError:
        return "values are nested too deeply"
    except ValueError:
        return "a number has too many digits"
    return value if isinstance(value, dict) else "this is not a JSON object"


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")) + "\n"


def _wrong(place: str, message: str, hint: str | None = None) -> Failure:
    return failure(_TITLE, _DETAIL, errors=[{"path": place, "message": message, "hint": hint}])
