"""A crontab whose commands agents run."""

import json

from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli
from tests.unit.cli.files import write

TEXT = """SHELL=/bin/bash
PATH=/opt/jobs:/usr/bin
HOME=/srv/shop
LOGNAME=somebody
MAILTO=ops@example.com
MASK='{{.Names}} {{secret:ssm:/a}}'
CRON_TZ=Europe/Paris
# The report.
0 7 * * mon-fri  report --day "$(date +\\%F)"%Good morning!%Bye
"""


def test_a_line_becomes_a_command_of_the_pool(api: ApiServer, cli: Cli) -> None:
    write("web", TEXT)
    result = cli("crontab", "import", "web", "--pool", "web")
    assert (result.exit_code, result.stdout) == (0, "created    default/report  revision 1\n")
    job = api.jobs["default/report"]
    assert (job["schedule"], job["timezone"], job["description"]) == ("0 7 * * mon-fri", "Europe/Paris", "The report.")
    assert (job["owner"], job["timeout"], job["payload"]) == ("ops@example.com", "1d", "Good morning!\nBye\n")
    given = {
        "type": "command",
        "pool": "web",
        "command": 'report --day "$(date +%F)"',
        "shell": "/bin/bash",
        "directory": "/srv/shop",
        "environment": {
            "PATH": "/opt/jobs:/usr/bin",
            "HOME": "/srv/shop",
            "MAILTO": "ops@example.com",
            "MASK": "{{{{.Names}} {{{{secret:ssm:/a}}",
        },
    }
    assert job["target"] | given == job["target"]
    assert job["labels"]["crontab/source"] == "web"


def test_the_user_of_a_system_crontab_runs_the_command(api: ApiServer, cli: Cli) -> None:
    write("cron.d", "@daily backup /usr/bin/backup\n@hourly root /usr/bin/other\n")
    cli("crontab", "import", "cron.d", "--pool", "web", "--system")
    assert {name: job["target"]["user"] for name, job in api.jobs.items()} == {
        "default/backup": "backup",
        "default/other": "root",
    }
    assert api.jobs["default/backup"]["payload"] is None


def test_a_template_gives_what_the_lines_do_not_say(api: ApiServer, cli: Cli) -> None:
    target = {"type": "command", "pool": "db", "node": "db-1", "skipped_codes": [75], "environment": {"A": "{{job}}"}}
    write("template.json", json.dumps({"timeout": "5m", "target": target}))
    write("web", "B=1\n@daily backup\n")
    assert cli("crontab", "import", "web", "--template", "template.json").exit_code == 0
    job = api.jobs["default/backup"]
    assert job["timeout"] == "5m"
    assert job["target"] | target | {"environment": {"A": "{{job}}", "B": "1"}} == job["target"]


def test_what_a_pool_cannot_have_is_refused_with_the_place(api: ApiServer, cli: Cli) -> None:
    write("web", "MINUTEHAND_JOB=x\nA-B=1\nHOME=here\nSHELL=bash\n@daily a\n@daily b\n")
    result = cli("crontab", "import", "web", "--pool", "web")
    assert result.exit_code == 2
    for place in (
        "web:5 default/a target.environment.MINUTEHAND_JOB",
        "web:6 default/b target.environment.MINUTEHAND_JOB",
        "web:5 default/a target.environment.A-B",
        "web:5 default/a target.directory",
        "web:5 default/a target.shell",
    ):
        assert place in result.stderr
    assert "MINUTEHAND_… is for the run's own values, which the agent sets" in result.stderr
    assert api.jobs == {}


def test_a_template_that_says_what_the_line_says_is_refused(cli: Cli) -> None:
    write("web", "@daily a\n")
    for fields, path in (
        ({"payload": {"a": 1}}, "payload"),
        ({"target": {"command": "b"}}, "target.command"),
        ({"target": {"type": "http"}}, "target.type"),
    ):
        write("template.json", json.dumps(fields))
        result = cli("crontab", "import", "web", "--pool", "web", "--template", "template.json")
        assert result.exit_code == 2
        assert f"{path}: " in result.stderr
    refused = cli("crontab", "import", "web", "--pool", "web", "--url", "https://example.com")
    assert "a target of type 'command' has no URL" in refused.stderr


def test_a_line_of_reboot_runs_at_the_start_of_the_machine(api: ApiServer, cli: Cli) -> None:
    write("web", "@reboot warm-up --all%input\n")
    assert cli("crontab", "import", "web", "--pool", "web").exit_code == 0
    job = api.jobs["default/warm-up"]
    assert (job["schedule"], job["target"]["at_start"], job["payload"]) == ("@manual", True, "input\n")
    assert cli("crontab", "import", "web", "--pool", "web").stdout.startswith("unchanged")
    assert "\n@reboot warm-up --all%input\n" in cli("crontab", "export").stdout


def test_a_job_that_also_has_times_is_no_line(api: ApiServer, cli: Cli) -> None:
    target = {"type": "command", "pool": "web", "command": "a", "at_start": True}
    api.add_job("default/both", schedule="@daily", target=target)
    assert "it runs at the start of the machine and at times" in cli("crontab", "export").stdout


def test_the_import_says_that_nobody_is_mailed(cli: Cli) -> None:
    write("web", "MAILTO=a@example.com\n@daily a\nMAILTO=b\n@daily b\nMAILTO=''\n@daily c\n")
    result = cli("crontab", "import", "web", "--pool", "web")
    assert "MAILTO=a@example.com, b: cron mails there what a command writes." in result.stderr
    assert "nobody is mailed" in result.stderr
    write("web", "@daily a\n")
    assert "MAILTO" not in cli("crontab", "import", "web", "--pool", "web", "--dry-run").stderr


def test_a_job_that_called_a_url_keeps_its_name_when_it_moves_to_a_pool(api: ApiServer, cli: Cli) -> None:
    write("web", TEXT)
    cli("crontab", "import", "web", "--url", "https://example.com")
    result = cli("crontab", "import", "web", "--pool", "web")
    assert result.stdout == "updated    default/report  revision 2\n"
    assert api.jobs["default/report"]["target"]["type"] == "command"
    assert cli("crontab", "import", "web", "--pool", "web").stdout.startswith("unchanged")
