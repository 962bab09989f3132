"""Rows of a table from a dump: `INSERT` statements as mysqldump writes them, or CSV with a line of names."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

from minutehand.tools.importers.exports import ExportFault

_INSERT = re.compile(
    r"\bINSERT\s+(?:IGNORE\s+)?INTO\s+(?:[`\"]?\w+[`\"]?\.)?[`\"]?(\w+)[`\"]?\s*(\([^()]*\))?\s*VALUES?\s*",
    re.IGNORECASE,
)
_CREATE = re.compile(
    r"\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:[`\"]?\w+[`\"]?\.)?[`\"]?(\w+)[`\"]?\s*\(", re.IGNORECASE
)
_COLUMN = re.compile(r"\s*[`\"]?(\w+)[`\"]?\s+\w", re.ASCII)
_KEYS = {"PRIMARY", "UNIQUE", "KEY", "INDEX", "CONSTRAINT", "FOREIGN", "FULLTEXT", "CHECK"}
_QUOTED = re.compile(r"(?:_\w+\s*)?'((?:[^'\\]|\\.|'')*)'", re.DOTALL)
_PLAIN = re.compile(r"[^\s,()']+(?:\([^()']*\))?")
_SPACE = re.compile(r"(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*", re.DOTALL)
_ESCAPES = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}
_DELIMITERS = (",", "\t", ";", "|")

Row = tuple[int, str, dict[str, Any]]
"""The line of a row, its table, and its values by column."""


def read_rows(text: str, tables: dict[str, Sequence[str]]) -> Iterator[Row]:
    """The rows of some tables in a dump. tables: the columns of each, for statements that name none; the dump's own CREATE TABLE
    overrides them. Raises ExportFault.
    """
    if _INSERT.search(text) or _CREATE.search(text):
        yield from _statements(text, tables)
    else:
        yield from _csv(text, tables)


def _statements(text: str, tables: dict[str, Sequence[str]]) -> Iterator[Row]:
    columns = {**tables, **_created(text)}
    at = 0
    while found := _INSERT.search(text, at):
        at, table = found.end(), found[1].lower()
        if table not in tables:
            continue
        given = re.findall(r"\w+", found[2]) if found[2] else columns[table]
        while True:
            line = text.count("\n", 0, at) + 1
            values, at = _tuple(text, at)
            if len(values) != len(given):
                raise ExportFault(
                    line,
                    f"this row of {table} has {len(values)} values for {len(given)} columns",
                    "dump the table with its CREATE TABLE, or with --complete-insert, which names the columns",
                )
            yield line, table, dict(zip((name.lower() for name in given), values, strict=True))
            at = _skip(text, at)
            if text[at : at + 1] != ",":
                break
            at = _skip(text, at + 1)


def _created(text: str) -> dict[str, list[str]]:
    found = {}
    for create in _CREATE.finditer(text):
        names = []
        for line in text[create.end() :].split(");", 1)[0].splitlines():
            column = _COLUMN.match(line)
            if column and column[1].upper() not in _KEYS:
                names.append(column[1].lower())
            elif line.lstrip().startswith(")"):
                break
        found[create[1].lower()] = names
    return found


def _tuple(text: str, at: int) -> tuple[list[Any], int]:
    """The values of one row in parentheses, and the place after it."""
    if text[at : at + 1] != "(":
        raise ExportFault(text.count("\n", 0, at) + 1, "a row in parentheses is missing after VALUES", None)
    values: list[Any] = []
    at = _skip(text, at + 1)
    while True:
        if quoted := _QUOTED.match(text, at):
            values.append(_unescaped(quoted[1]))
            at = quoted.end()
        elif plain := _PLAIN.match(text, at):
            values.append(None if plain[0].upper() in {"NULL", "NOW()", "CURRENT_TIMESTAMP"} else plain[0])
            at = plain.end()
        else:
            raise ExportFault(text.count("\n", 0, at) + 1, "this value of an INSERT statement cannot be read", None)
        at = _skip(text, at)
        if text[at : at + 1] == ")":
            return values, at + 1
        if text[at : at + 1] != ",":
            raise ExportFault(text.count("\n", 0, at) + 1, "a comma is missing between the values of a row", None)
        at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _unescaped(text: str) -> str:
    return re.sub(
        r"\\(.)|''", lambda found: _ESCAPES.get(found[1], found[1]) if found[1] else "'", text, flags=re.DOTALL
    )


def _csv(text: str, tables: dict[str, Sequence[str]]) -> Iterator[Row]:
    """Rows of CSV. The table is the one that knows most of the names in the first line."""
    head = text.split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = [name.strip().strip("`").lower() for name in next(reader, [])]
        table = max(tables, key=lambda each: len(set(tables[each]) & set(names)))
        if not set(tables[table]) & set(names):
            hint = "begin it with a line of the columns' names, as mysql --batch and most tools write"
            raise ExportFault(1, "this is no dump: it has neither INSERT statements nor names of columns", hint)
        for values in reader:
            if not values:
                continue
            if len(values) != len(names):
                raise ExportFault(reader.line_num, f"this row has {len(values)} values for {len(names)} columns", None)
            cells = (None if value in {"\\N", "NULL"} else value for value in values)
            yield reader.line_num, table, dict(zip(names, cells, strict=True))
    except csv.Error as error:
        raise ExportFault(max(reader.line_num, 1), f"this is not CSV: {error}", None) from None
