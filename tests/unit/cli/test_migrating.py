"""docs/how-to/migrating-from-crontab.md is played from top to bottom, and prints what it says."""

import json
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path

from minutehand.cli.screen.times import rfc3339
from minutehand.schedule import Schedule
from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import NOW, Cli

PAGE = (Path(__file__).parents[3] / "docs" / "how-to" / "migrating-from-crontab.md").read_text(encoding="utf-8")
INSTANT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_s_examples_print_what_it_says(api: ApiServer, cli: Cli) -> None:
    [crontab] = blocks("crontab")
    Path("web.crontab").write_text(crontab, encoding="utf-8")
    Path("old.crontab").write_text(
        "@reboot /usr/local/bin/warm-up\n0 24 * * * /usr/local/bin/backup.sh\n", encoding="utf-8"
    )
    played = 0
    for block in blocks("console"):
        line, _, output = block.removeprefix("$ minutehand ").partition("\n")
        result = cli(*shlex.split(line))
        # Assumptions about the file are printed beside the answer, and every job of this API is due at the same time.
        shown = result.stdout + result.stderr if result.exit_code == 0 else result.stderr
        lines = [each for each in shown.splitlines() if "is read as" not in each and "nothing was saved: -" not in each]
        assert INSTANT.sub("AT", "\n".join(lines)) == INSTANT.sub("AT", output.strip("\n"))
        played += 1
    assert played == 4


def test_the_page_s_instants_are_those_of_its_schedules() -> None:
    found = re.findall(r"^default/\S+ +create +(.+?)  +(\S+/\S+) +(\S+ \S+)  ", PAGE, re.MULTILINE)
    assert len(found) == 3
    for schedule, zone, at in found:
        instant = Schedule.parse(schedule, zone).next(NOW)
        assert instant == datetime.fromisoformat(at).replace(tzinfo=UTC), rfc3339(NOW)


def test_no_schedule_of_the_page_has_a_warning_that_it_does_not_show() -> None:
    schedules = re.findall(r"^default/\S+ +create +(.+?)  +(\S+/\S+) ", PAGE, re.MULTILINE)
    assert [text for text, zone in schedules if Schedule.parse(text, zone).warnings(NOW, timezone=zone)] == []


def test_the_page_s_target_and_payloads_are_those_of_the_job(api: ApiServer, cli: Cli) -> None:
    Path("web.crontab").write_text(blocks("crontab")[0], encoding="utf-8")
    for_agent, for_service = map(json.loads, blocks("json"))
    cli("crontab", "import", "web.crontab", "--pool", "web")
    job = api.jobs["default/report"]
    assert job["target"] | for_agent["target"] == job["target"]
    assert job["payload"] == for_agent["payload"]
    cli("crontab", "import", "web.crontab", "--url", "https://ops.example.com/run")
    assert api.jobs["default/report"]["payload"] == for_service
