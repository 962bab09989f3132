"""Dumps of tables are read as MySQL writes them, and faults are found with their line."""

from __future__ import annotations

import pytest

from minutehand.tools.importers.exports import ExportFault
from minutehand.tools.importers.table_dumps import read_rows

TABLES = {"jobs": ("id", "name")}


def test_columns_come_from_the_statement_or_the_table_or_are_the_usual_ones() -> None:
    create = "CREATE TABLE `jobs` (\n  `name` varchar(9) DEFAULT 'a,b',\n  `id` int,\n  PRIMARY KEY (`id`)\n) ENGINE=InnoDB;\n"
    assert list(read_rows("INSERT INTO jobs VALUES (1,'a');", dict(TABLES))) == [(1, "jobs", {"id": "1", "name": "a"})]
    assert list(read_rows("INSERT INTO db.`jobs` (name, id) VALUES ('a', 1);", dict(TABLES))) == [
        (1, "jobs", {"name": "a", "id": "1"})
    ]
    insert = "INSERT INTO `jobs` VALUES ('a',1);"
    assert list(read_rows(create + insert, dict(TABLES))) == [(6, "jobs", {"name": "a", "id": "1"})]


def test_several_rows_comments_and_escapes_are_read() -> None:
    text = "INSERT INTO jobs VALUES\n (1, NULL), -- none\n /* two */ (2, _utf8mb4'it\\'s\\t''x''\\\\');"
    assert [row for _, _, row in read_rows(text, dict(TABLES))] == [
        {"id": "1", "name": None},
        {"id": "2", "name": "it's\t'x'\\"},
    ]


def test_a_statement_inside_of_another_table_s_text_is_no_statement() -> None:
    inner = "INSERT INTO jobs VALUES (9,\\'x\\');"
    for end in (",NOW(),X'ff')", " unreadable"):
        log = "".join(("INSERT INTO log VALUES (1,'a\nb ", inner, "'", end, ";\n"))
        rows = list(read_rows(log + "INSERT INTO jobs VALUES\n(1,'a'),\n(2,'b');", dict(TABLES)))
        assert [(line, row["id"]) for line, _, row in rows] == [(4, "1"), (5, "2")]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("\nINSERT INTO jobs VALUES (1);", 2, "1 values for 2 columns"),
        ("INSERT INTO jobs VALUES (1 2)", 1, "comma is missing"),
        ("INSERT INTO jobs VALUES (1,'a", 1, "cannot be read"),
        ("INSERT INTO jobs VALUES", 1, "parentheses is missing"),
        ("hello, world", 1, "neither INSERT"),
        ("id,name\n1,2,3\n", 2, "3 values for 2 columns"),
        ('id,name\n1,"2\n', 2, "not CSV"),
        ("", 1, "neither INSERT"),
    ],
)
def test_a_fault_has_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(ExportFault, match=message) as caught:
        list(read_rows(text, dict(TABLES)))
    assert caught.value.line == line
