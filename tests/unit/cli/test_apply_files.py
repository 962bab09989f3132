"""Files of jobs: which are read, what they may hold, and the errors about broken ones."""

import json
from pathlib import Path

import pytest

from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli
from tests.unit.cli.files import job, write


def test_a_file_may_be_named_with_and_without_its_option(api: ApiServer, cli: Cli) -> None:
    assert cli("apply", write("a.yaml", job("a")), "-f", write("b.yaml", job("b"))).exit_code == 0
    assert sorted(api.jobs) == ["default/a", "default/b"]
    by_option = cli("cost", "-f", "a.yaml", "-f", "b.yaml")
    assert by_option.exit_code == 0
    assert by_option.stdout == cli("cost", "a.yaml", "b.yaml").stdout


@pytest.mark.parametrize("command", ["apply", "calendar apply"])
def test_any_names_no_file_is_reported_what_to_name(cli: Cli, command: str) -> None:
    result = cli(*command.split())
    assert result.exit_code == 2
    assert "no file given: name a file, a folder, or - for stdin" in result.stderr


def test_a_folder_is_read_with_those_below_it_but_not_what_is_hidden_or_no_job_file(api: ApiServer, cli: Cli) -> None:
    write("jobs/b.yml", job("b"))
    write(
        "jobs/deep/a.json",
        json.dumps({"name": "a", "schedule": "@daily", "target": {"type": "http", "url": "https://a"}}),
    )
    write("jobs/.hidden/c.yaml", job("c"))
    write("jobs/notes.md", "# nothing")
    assert cli("apply", "-f", "jobs").exit_code == 0
    assert sorted(api.jobs) == ["default/a", "default/b"]


def test_a_file_that_is_named_twice_is_read_once(api: ApiServer, cli: Cli) -> None:
    write("jobs/a.yaml", job("a"))
    assert cli("apply", "-f", "jobs", "-f", "jobs/a.yaml", "-f", "./jobs/a.yaml").exit_code == 0


@pytest.mark.parametrize(
    "text",
    [
        job("a"),
        "\ufeff" + job("a"),
        "{name: a, schedule: '@hourly', target: {type: http, url: 'https://a'}}",
        '{"name": "a",\n\t"schedule": "@hourly", "target": {"type": "http", "url": "https://a"}}',
        "---\n---\n" + job("a") + "---\n",
    ],
)
def test_stdin_may_be_yaml_or_json(api: ApiServer, cli: Cli, text: str) -> None:
    assert cli("apply", "-f", "-", stdin=text.encode()).exit_code == 0
    assert list(api.jobs) == ["default/a"]


def test_a_json_file_may_hold_several_documents(api: ApiServer, cli: Cli) -> None:
    documents = [
        {"name": name, "schedule": "@daily", "target": {"type": "http", "url": "https://a"}} for name in ("a", "b")
    ]
    write("jobs.json", "\n".join(json.dumps(each) for each in documents))
    assert cli("apply", "-f", "jobs.json").exit_code == 0
    assert sorted(api.jobs) == ["default/a", "default/b"]


def test_what_show_prints_can_be_applied(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat", payload={"text": "早"})
    shown = cli("show", "demo/beat", "-o", "json").stdout
    assert cli("apply", "-f", "-", stdin=shown.encode()).stdout.startswith("unchanged  demo/beat")


def test_the_namespace_option_is_for_jobs_that_name_none(api: ApiServer, cli: Cli) -> None:
    write("jobs.yaml", job("a"))
    cli("apply", "-f", "jobs.yaml", "-n", "demo")
    assert list(api.jobs) == ["demo/a"]
    write("jobs.yaml", job("a", more="namespace: other"))
    result = cli("apply", "-f", "jobs.yaml", "-n", "demo")
    assert result.exit_code == 2
    assert "jobs.yaml:1" in result.stderr


def test_a_job_that_is_there_twice_is_an_error_that_names_both_places(api: ApiServer, cli: Cli) -> None:
    write("a.yaml", job("beat"))
    write("b.yaml", f"{job('x')}---\n{job('beat', more='namespace: default')}")
    result = cli("apply", "-f", "a.yaml", "-f", "b.yaml")
    assert result.exit_code == 2
    assert "b.yaml:5: default/beat is a duplicate; the first is at a.yaml:1" in result.stderr
    assert api.requests == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: a\n  schedule: x", "bad.yaml:2:11: mapping values are not allowed"),
        ("name: a\nschedule: * * * * *", "bad.yaml:2:12:"),
        ("name: a\nschedule: * * * * *", 'schedule: "*/5 * * * *"'),
        ("name: a\nschedule: @hourly", 'schedule: "@hourly"'),
        ("name: a\n\tschedule: x", "bad.yaml:2:1:"),
        ("name: [a", "bad.yaml:1:9:"),
        ("name: a\nname: b", "bad.yaml:2:1: the key 'name' is here twice"),
        ("name: a\nlabels: {1: x}", "bad.yaml:2:10: a key must be text"),
        ("name: a\nowner: \x01", "bad.yaml:2:8: the character"),
        ("name: a\nwhen: !!timestamp 2026-11-20", "bad.yaml:2:7: the tag !!timestamp is not allowed here"),
        ("name: a\npayload: !!float .nan", "bad.yaml:1: it is not representable as JSON"),
        ("name: a\nwhen: !!python/object:os.system {}", "bad.yaml:2:7:"),
        ("name: a\npayload: &x [*x]", "bad.yaml:2:10: an alias is inside of what it repeats"),
        ("[" * 5000, "nested too deeply"),
        ("- name: a", "bad.yaml:1: this document is a list, not a mapping"),
        ("just text", "bad.yaml:1: this document is a string, not a mapping"),
        ("schedule: x", "bad.yaml:1: this job has no name"),
        ("name: 007\n---\nname: 7", "bad.yaml:3: name is a number, not text"),
        ("name: true", "name is true or false, not text"),
        ("name: a\nnamespace: [b]", "namespace is a list, not text"),
        ("name: demo/beat", "write namespace: demo and name: beat"),
        ("", "it contains no job"),
        ("---\n# nothing\n", "it contains no job"),
    ],
)
@pytest.mark.thorough
def test_a_broken_file_is_reported_with_its_place_and_nothing_is_sent(
    api: ApiServer, cli: Cli, text: str, message: str
) -> None:
    write("bad.yaml", text)
    result = cli("apply", "-f", "bad.yaml")
    assert result.exit_code == 2
    assert message in result.stderr
    assert api.requests == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"name": "a",}', "bad.json:1:1"),
        ('{"name": "a"}\n{"name": NaN}', "bad.json:2: NaN is no JSON value"),
        ('{"name": "a", "name": "b"}', "bad.json:1: the key 'name' is there twice"),
        ("[" * 200_000, "nested too deeply"),
        ('{"name": "a"} x', "bad.json:1:15:"),
    ],
)
def test_broken_json_is_reported_with_its_place(api: ApiServer, cli: Cli, text: str, message: str) -> None:
    write("bad.json", text)
    result = cli("apply", "-f", "bad.json")
    assert result.exit_code == 2
    assert message in result.stderr
    assert api.requests == []


def test_every_broken_file_is_reported_at_once(cli: Cli) -> None:
    write("jobs/a.yaml", "name: [")
    write("jobs/b.yaml", "schedule: x")
    Path("jobs/c.yaml").write_bytes(b"name: \xff")
    Path("empty").mkdir()
    result = cli("apply", "-f", "jobs", "-f", "missing.yaml", "-f", "empty", "-o", "json")
    assert [error["path"] for error in json.loads(result.stderr)["errors"]] == [
        "jobs/a.yaml:1:8",
        "jobs/b.yaml:1",
        "jobs/c.yaml",
        "missing.yaml",
        "empty",
    ]


def test_plain_words_and_dates_stay_text(api: ApiServer, cli: Cli) -> None:
    payload = (
        "payload: {a: on, b: no, c: 1:30, d: 2026-11-20, e: 007, f: ~, g: true, h: 7, i: 1.5, j: .nan, k: 1e3, l: }"
    )
    write("jobs.yaml", job("a", more=payload))
    assert cli("apply", "-f", "jobs.yaml").exit_code == 0
    assert api.jobs["default/a"]["payload"] == {
        "a": "on",
        "b": "no",
        "c": "1:30",
        "d": "2026-11-20",
        "e": "007",
        "f": None,
        "g": True,
        "h": 7,
        "i": 1.5,
        "j": ".nan",
        "k": 1000.0,
        "l": None,
    }


def test_anchors_and_merges_work(api: ApiServer, cli: Cli) -> None:
    write("jobs.yaml", job("a", more="payload: {base: &b {x: 1, y: 2}, more: {<<: *b, y: 3}}"))
    assert cli("apply", "-f", "jobs.yaml").exit_code == 0
    assert api.jobs["default/a"]["payload"]["more"] == {"x": 1, "y": 3}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("/dev/zero", "it is larger than 64 MiB"),
        ("a" * 300, "it cannot be read: File name too long"),
        ("loop.yaml", "it cannot be read: Too many levels of symbolic links"),
    ],
)
def test_a_name_that_cannot_be_read_to_its_end_is_an_error(cli: Cli, name: str, message: str) -> None:
    Path("loop.yaml").symlink_to("loop.yaml")
    result = cli("apply", "-f", name)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_a_folder_with_links_to_itself_is_read_once(api: ApiServer, cli: Cli) -> None:
    write("jobs/a.yaml", job("a"))
    Path("jobs/again").symlink_to(Path("jobs").resolve())
    Path("jobs/loop.yaml").symlink_to("loop.yaml")
    assert cli("apply", "-f", "jobs").exit_code == 0
    assert list(api.jobs) == ["default/a"]
