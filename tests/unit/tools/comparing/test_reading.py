"""Logs of other schedulers, in each form: what ran, and what cannot be read."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import BinaryIO, cast

import pytest

from minutehand.tools.comparing.entries import Entry, Unread
from minutehand.tools.comparing.lines import Fields, UnknownForm
from minutehand.tools.comparing.reading import LONGEST_LINE, entries_of
from minutehand.tools.comparing.times import Clock

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def read(
    text: str | bytes, form: str | None = None, timezone: str = "UTC", **fields: str
) -> list[tuple[str, str, int]]:
    """The runs of a log; anything unreadable is a test's mistake."""
    found = every(text, form, timezone, **fields)
    assert not [each for each in found if isinstance(each, Unread)], found
    return [(f"{each.at:%Y-%m-%dT%H:%M:%S}", each.name, each.line) for each in found if isinstance(each, Entry)]


def every(
    text: str | bytes, form: str | None = None, timezone: str = "UTC", **fields: str
) -> list[Entry | Unread | None]:
    source = io.BytesIO(text if isinstance(text, bytes) else text.encode())
    return list(entries_of(source, form, Clock(timezone, NOW), Fields(**fields)))


@pytest.mark.parametrize(
    "line",
    [
        "Nov 20 09:00:01 web1 CRON[123]: (root) CMD (   /usr/bin/report --all)",
        "Nov 20 09:00:01 web1 CROND[123]: (root) CMD (/usr/bin/report --all)",
        "2026-11-20T10:00:01.123456+01:00 web1 CRON[123]: (root) CMD (/usr/bin/report --all)",
        "2026-11-20T09:00:01Z web1 cron: (root) CMD (/usr/bin/report --all)",
        "2026-11-20T10:00:01+0100 web1 /usr/sbin/cron[9]: (www-data) CMD (/usr/bin/report --all)",
        "<78>Nov 20 09:00:01 web1 CRON[123]: (root) CMD (/usr/bin/report --all)",
    ],
)
def test_lines_of_cron_in_the_systems_log_name_commands(line: str) -> None:
    text = f"Nov 20 08:00:00 web1 sshd[1]: session opened\n{line}\n"
    assert read(text) == [("2026-11-20T09:00:01", "/usr/bin/report --all", 2)]


def test_a_time_without_a_year_is_of_the_latest_year_in_which_it_does_not_lie_ahead() -> None:
    text = "".join(f"{day} 09:00:01 h CRON[1]: (a) CMD (x)\n" for day in ("Dec 31", "Feb 29", "Nov 20", "Nov 21"))
    assert [at[:10] for at, *_ in read(text)] == ["2025-12-31", "2024-02-29", "2026-11-20", "2026-11-21"]


def test_the_second_pass_of_a_repeated_hour_is_known_by_the_line_before() -> None:
    clocks = ("02:30:00", "02:59:00", "02:00:00", "02:30:00", "03:00:00")
    text = "".join(f"Oct 25 {clock} h CRON[1]: (a) CMD (x)\n" for clock in clocks)
    found = [at[11:] for at, *_ in read(text, timezone="Europe/Paris")]
    assert found == ["00:30:00", "00:59:00", "01:00:00", "01:30:00", "02:00:00"]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_is_read_by_its_line_of_names(separator: str) -> None:
    lines = [["id", "job", "started_at"], ["1", "report", "2026-11-20T09:00:01Z"], ["2", "report", "1795165201"]]
    text = "\ufeff" + "\r\n".join(separator.join(line) for line in lines)
    assert read(text) == [("2026-11-20T09:00:01", "report", 2), ("2026-11-20T09:00:01", "report", 3)]


def test_columns_may_be_named_and_fields_may_be_quoted() -> None:
    text = 'when,what\n2026-11-20 09:00:01,"a, b"\n'
    assert read(text, time="when", name="what") == [("2026-11-20T09:00:01", "a, b", 2)]
    with pytest.raises(UnknownForm, match=r"line 1 has no column with the time .*; it has when, what"):
        read(text)


def test_lines_of_json_are_read_by_the_usual_names_or_by_given_ways() -> None:
    text = (
        '{"at": "2026-11-20T09:00:01Z", "namespace": "shop", "job": "report"}\n\n{"ts": 1795165201500, "name": "x"}\n'
    )
    assert read(text) == [("2026-11-20T09:00:01", "shop/report", 1), ("2026-11-20T09:00:01", "x", 3)]
    deep = '{"request": {"at": "2026-11-20T09:00:01Z"}, "meta": {"job": "x"}}'
    assert read(deep, form="jsonl", time="request.at", name="meta.job") == [("2026-11-20T09:00:01", "x", 1)]


@pytest.mark.parametrize("value", ['"shop/report"', '["shop/report"]'])
def test_a_receivers_log_names_the_job_in_a_header(value: str) -> None:
    text = f'{{"time": "2026-11-20T09:00:01Z", "headers": {{"minutehand-job": {value}}}}}\n'
    assert read(text) == [("2026-11-20T09:00:01", "shop/report", 1)]


def test_the_jobs_of_kubernetes_are_named_by_their_cron_jobs() -> None:
    text = """{
      "kind": "List",
      "items": [
        {"kind": "Job", "metadata": {"name": "report-1", "namespace": "shop", "ownerReferences": [{"kind": "CronJob", "name": "report"}]},
         "status": {"startTime": "2026-11-20T09:00:01Z"}},
        {"kind": "Job", "metadata": {"name": "by-hand", "namespace": "shop", "creationTimestamp": "2026-11-20T09:00:02Z"}},
        {"kind": "Job", "metadata": {"creationTimestamp": "2026-11-20T09:00:03Z", "ownerReferences": [{"kind": "CronJob", "name": "x"}]}}
      ]
    }"""
    assert read(text) == [("2026-11-20T09:00:01", "shop/report", 1), ("2026-11-20T09:00:03", "default/x", 3)]


def test_executions_of_dkron_are_a_list() -> None:
    text = '[{"job_name": "report", "started_at": "2026-11-20T09:00:01.123456789Z", "success": true}]'
    assert read(text) == [("2026-11-20T09:00:01", "report", 1)]


@pytest.mark.parametrize(
    ("form", "text", "line", "message"),
    [
        (
            "syslog",
            "Nov 20 09:00:01 h CRON[1]: (a) CMD (x)\nNov 99 09:00:01 h CRON[1]: (a) CMD (x)\n",
            2,
            "'Nov 99 09:00:01' is not a time",
        ),
        ("syslog", "20.11. 9 Uhr h CRON[1]: (a) CMD (x)\n", 1, "this is not a line of cron"),
        ("csv", "time,name\nsoon,x\n", 2, "'soon' is not a time"),
        ("csv", "time,name\n\n2026-11-20T09:00:01Z\n", 3, "this has 1 fields, and the line of names has 2"),
        ("jsonl", '{"at": "2026-11-20T09:00:01Z", "job": "x"}\n{"at": \n', 2, "this is not JSON"),
        ("jsonl", '{"job": "x"}\n', 1, "this has no field with a time"),
        ("jsonl", '{"at": "2026-11-20T09:00:01Z"}\n', 1, "this has no field with a name"),
        ("jsonl", "[1]\n", 1, "this is not an object: [1]"),
        ("jsonl", '{"at": true, "job": "x"}\n', 1, "True is not a time"),
        ("json", '[{"at": [], "job": "x"}]', 1, "[] is not a time"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_by_its_number(form: str, text: str, line: int, message: str) -> None:
    [found] = [each for each in every(text, form) if isinstance(each, Unread)]
    assert (found.line, found.message[: len(message)]) == (line, message)


def test_lines_that_are_too_long_or_no_text_are_named_and_the_rest_is_read() -> None:
    good = b'{"at": "2026-11-20T09:00:01Z", "job": "x"}\n'
    found = every(good + b"{" * (2 * LONGEST_LINE + 7) + b"\n\xff\n" + good, "jsonl")
    assert [each.line if each else None for each in found] == [1, 2, 3, 4]
    assert [each.message for each in found if isinstance(each, Unread)] == [
        "this line is longer than 1,000,000 bytes",
        "this line is not UTF-8, at byte 1",
    ]


def test_a_log_with_a_line_that_never_ends_cannot_be_read() -> None:
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readline(self, size: int | None = -1, /) -> bytes:
            return b"\0" * (size or 0)

    source = cast(BinaryIO, Endless())
    with pytest.raises(UnknownForm, match="line 1 has more than 67,108,864 bytes"):
        list(entries_of(source, "csv", Clock("UTC", NOW), Fields()))


@pytest.mark.parametrize(
    ("text", "message"), [("{", "not JSON"), ('{"a": 1}\n{', "not JSON"), ("5", "no list"), ('{"items": 5}', "no list")]
)
def test_a_document_that_is_no_list_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(UnknownForm, match=message):
        every(text, "json")


def test_an_empty_log_tells_of_nothing() -> None:
    assert every("", "syslog") == every("", "jsonl") == []
