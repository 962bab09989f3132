"""docs/how-to/moving-in.md is played from top to bottom, and prints what it says."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli
from tests.unit.cli.files import write
from tests.unit.tools.importers.test_kubernetes import cron_job

PAGE = (Path(__file__).parents[3] / "docs" / "how-to" / "moving-in.md").read_text(encoding="utf-8")


def block(language: str, place: int = 0) -> str:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[place]


def test_the_example_prints_and_writes_what_the_page_says(cli: Cli) -> None:
    write("shop/celery.py", block("python"))
    line, _, output = block("console").removeprefix("$ minutehand ").partition("\n")
    done = cli(*shlex.split(line))
    assert (done.exit_code, done.stdout) == (0, output)
    assert Path("jobs.yaml").read_text(encoding="utf-8") == block("yaml")


def test_the_url_and_the_targets_of_the_page_complete_the_jobs(api: ApiServer, cli: Cli) -> None:
    write("shop/celery.py", block("python"))
    cli(*shlex.split(block("console", 1).removeprefix("$ minutehand ")))
    assert cli("apply", "jobs.yaml").exit_code == 0
    assert api.jobs["default/close-orders"]["target"]["url"] == "https://jobs.example.com/orders.close"
    write("cron.json", json.dumps(cron_job()))
    write("targets.yaml", re.sub(r"^orders.close:.*\n", "", block("yaml", 1), flags=re.MULTILINE))
    done = cli("import", "kubernetes", "cron.json", "--target", "targets.yaml", "--to", "jobs.yaml")
    assert done.exit_code == 0, done.stderr
    assert cli("apply", "jobs.yaml").exit_code == 0
    assert api.jobs["shop/report"]["target"]["container"] == "main"
