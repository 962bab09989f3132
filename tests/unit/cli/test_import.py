"""The command `import` turns exports into YAML that the API takes, once it is complete."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from minutehand.cli.documents.yaml_json import read_yaml
from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli
from tests.unit.cli.files import write
from tests.unit.tools.importers.test_celery import MODULE
from tests.unit.tools.importers.test_celery_fixtures import fixture
from tests.unit.tools.importers.test_dkron import job
from tests.unit.tools.importers.test_eventbridge import schedule
from tests.unit.tools.importers.test_eventbridge_targets import ECS, FUNCTION, rule
from tests.unit.tools.importers.test_kubernetes import cron_job
from tests.unit.tools.importers.test_xxl_job import row

URL = ("--url-template", "https://jobs.example.com/{task}/{name}")


def exports() -> dict[str, tuple[str, str]]:
    """An export of each system, with the name of its file."""
    children = job(name="child", parent_job="report", executor="shell", executor_config={"command": "ls"}, schedule="")
    rows = [row(child_jobid="2"), row(id="2", job_desc="Two", trigger_status="0", executor_timeout="3600")]
    return {
        "eventbridge": (
            "schedules.json",
            json.dumps(schedule()) + json.dumps(schedule(ECS, Name="task", Arn="x")) + rule(FUNCTION),
        ),
        "dkron": ("jobs.json", json.dumps([job(), children])),
        "xxl-job": ("jobs.csv", "\n".join([",".join(rows[0]), *(",".join(each.values()) for each in rows)])),
        "celery": ("celery.py", MODULE),
        "kubernetes": ("cronjobs.json", json.dumps({"kind": "List", "items": [cron_job()]})),
    }


@pytest.mark.parametrize("system", list(exports()))
@pytest.mark.thorough
def test_an_imported_file_can_be_applied_once_its_targets_are_complete(system: str, api: ApiServer, cli: Cli) -> None:
    name, text = exports()[system]
    write(name, text)
    done = cli("import", system, name, *URL, "--to", "jobs.yaml")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "  to be completed: " not in done.stdout
    applied = cli("apply", "jobs.yaml")
    assert applied.exit_code == 0, applied.stderr
    assert len(api.jobs) == len(list(read_yaml(Path("jobs.yaml").read_text(encoding="utf-8"))))
    assert set(cli("apply", "jobs.yaml").stdout.split()) >= {"unchanged"}


def test_a_fixture_of_django_can_be_applied(api: ApiServer, cli: Cli) -> None:
    write("beat.json", fixture(one_off=True, expires="2027-12-01T00:00:00Z"))
    cli("import", "celery", "beat.json", *URL, "--to", "jobs.yaml")
    assert cli("apply", "jobs.yaml").exit_code == 0
    assert api.jobs["default/close-orders"]["target"]["url"] == "https://jobs.example.com/orders.close/close-orders"


def test_what_is_left_to_be_completed_is_refused_with_what_to_do(api: ApiServer, cli: Cli) -> None:
    write("celery.py", MODULE)
    write("cron.json", json.dumps(cron_job()))
    for system, name, fields in (
        ("celery", "celery.py", ["url"]),
        ("kubernetes", "cron.json", ["cluster", "task_definition"]),
    ):
        done = cli("import", system, name, "--to", "jobs.yaml")
        assert f"to be completed: target.{fields[0]}" in done.stdout
        refused = cli("apply", "jobs.yaml")
        assert refused.exit_code == 2
        for field in fields:
            assert f"target.{field}: the import did not know this, and left it to be completed" in refused.stderr
        assert "import again with --url-template URL or --target FILE" in refused.stderr
    assert not api.jobs


def test_the_same_export_gives_the_same_bytes(cli: Cli) -> None:
    write("jobs.csv", exports()["xxl-job"][1])
    first = cli("import", "xxl-job", "jobs.csv")
    assert first.stdout == cli("import", "xxl-job", "jobs.csv").stdout
    assert first.stdout.startswith("# Jobs imported from XXL-JOB. ")
    assert "2 jobs from XXL-JOB, 2 targets to be completed" in first.stderr


def test_json_has_the_jobs_and_the_report(cli: Cli) -> None:
    write("jobs.json", json.dumps([job(tags={"role": "web"}), job(name="later", schedule="@at 2020-01-01T00:00:00Z")]))
    answer: dict[str, Any] = json.loads(cli("import", "dkron", "jobs.json", "-o", "json").stdout)
    assert [each["name"] for each in answer["jobs"]] == ["report"]
    report = answer["report"]
    assert report["jobs"][0]["job"] == "default/report"
    assert {each["field"]: each["outcome"] for each in report["jobs"][0]["findings"]}["tags"] == "changed"
    assert report["left_out"] == [
        {
            "source": "later",
            "place": "jobs.json:1 item 2",
            "field": "schedule",
            "reason": "it names no instant any more, so the job would never run",
        }
    ]
    assert report["sum"] | {"jobs": 1, "left_out": 1, "to_complete": 0, "changed": 1} == report["sum"]
    assert report["by_reason"][0]["outcome"] == "changed"


def test_what_is_left_out_is_a_comment_of_the_file(cli: Cli) -> None:
    write(
        "celery.py",
        'beat_schedule = {"a": {"task": "t", "schedule": 60}, "sun": {"task": "t", "schedule": solar("dawn", 1, 2)}}',
    )
    done = cli("import", "celery", "celery.py")
    assert "# left out: sun (celery.py:1): schedule: no schedule here follows the sun" in done.stdout
    assert "left out: sun (celery.py:1)" in done.stderr


def test_names_that_collide_are_told_apart(cli: Cli) -> None:
    write("jobs.json", json.dumps([job(name="Report 1"), job(name="report-1")]))
    done = cli("import", "dkron", "jobs.json", "-o", "json")
    names = [each["name"] for each in json.loads(done.stdout)["jobs"]]
    assert len(set(names)) == 2
    assert all(name.startswith("report-1-") for name in names)
    assert "another entry's name is report-1 too" in done.stdout


def test_targets_of_a_file_are_found_by_job_entry_task_or_star(cli: Cli) -> None:
    write("celery.py", MODULE)
    function = "arn:aws:lambda:eu-west-1:111122223333:function"
    write(
        "targets.yaml",
        f"default/ping: {{type: lambda, function: '{function}:ping'}}\n"
        f"close orders: {{type: lambda, function: '{function}:orders'}}\n"
        f"orders.week: {{type: lambda, function: '{function}:week'}}\n"
        '"*": {type: http, url: "https://run.example.com/{task}"}\n',
    )
    done = cli("import", "celery", "celery.py", "--target", "targets.yaml", "-o", "json")
    targets = {each["name"]: each["target"] for each in json.loads(done.stdout)["jobs"]}
    assert [targets[name]["function"].rpartition(":")[2] for name in ("ping", "close-orders", "weekly")] == [
        "ping",
        "orders",
        "week",
    ]
    assert targets["later"] == {"type": "http", "url": "https://run.example.com/orders.later", "method": "POST"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["import", "jenkins", "x.json"], "'jenkins' is not one of"),
        (["import", "dkron"], "no file given"),
        (["import", "dkron", "none.json"], "none.json: it cannot be read"),
        (["import", "dkron", "jobs.json", "--timezone", "Mars"], "--timezone: there is no time zone 'Mars'"),
        (["import", "dkron", "jobs.json", "-n", "No!"], "--namespace: 'No!' is not a valid name"),
        (["import", "dkron", "jobs.json", "--header", "A: b"], "the headers have no request to go with"),
        (["import", "dkron", "jobs.json", "--url-template", "https://x/{id}"], "there is no {id} to fill in"),
        (["import", "dkron", "jobs.json", "--target", "wrong.yaml"], "wrong.yaml: report: this is no target"),
        (["import", "dkron", "jobs.json", "--target", "unused.yaml"], "no job of the export has this name or task"),
        (["import", "dkron", "jobs.json", "--to", "no/such/folder.yaml"], "it cannot be written"),
        (["import", "dkron", "nothing.json"], "no job can be made of this"),
        (["import", "xxl-job", "broken.sql"], "broken.sql:1: this row of xxl_job_info has 1 values for 24 columns"),
        (["import", "celery", "broken.py"], "broken.py:2: this is not Python"),
        (["import", "kubernetes", "broken.yaml"], "broken.yaml:1:"),
    ],
    ids=str,
)
def test_wrong_input_is_refused_with_its_place(arguments: list[str], message: str, cli: Cli) -> None:
    write("jobs.json", json.dumps([job()]))
    write("wrong.yaml", "report: https://example.com\n")
    write("unused.yaml", "weekly: {type: http, url: https://example.com}\n")
    write("nothing.json", '{"colour": "red"}')
    write("broken.sql", "INSERT INTO xxl_job_info VALUES (1);")
    write("broken.py", "x = 1\ny = (")
    write("broken.yaml", "a: [1")
    done = cli(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr


def test_a_folder_and_stdin_are_read(cli: Cli) -> None:
    for number in range(2):
        write(f"jobs/{number}.json", json.dumps(job(name=f"job-{number}")))
    assert "2 jobs from dkron" in cli("import", "dkron", "jobs").stderr
    assert "1 job from dkron" in cli("import", "dkron", "-", stdin=json.dumps([job()], indent="\t")).stderr
    for system in ("xxl-job", "celery"):
        assert "from" in cli("import", system, "-", stdin=exports()[system][1]).stderr
