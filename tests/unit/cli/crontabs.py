"""A crontab, and what importing it does."""

from __future__ import annotations

import json

from tests.unit.cli.conftest import Cli

URL = ("--url", "https://example.com/run")
TEXT = """MAILTO=ops
CRON_TZ=Europe/Paris
# Back up.
0 3 * * * /usr/bin/backup.sh --full
*/5 * * * * cd /srv && ./sync now
"""


def results(cli: Cli, *arguments: str, stdin: str | None = None) -> dict[str, str]:
    """What an import that goes well did to each job."""
    result = cli("crontab", "import", *arguments, "-o", "json", stdin=stdin)
    assert (result.exit_code, result.stderr) == (0, "")
    return {item["job"]: item["result"] for item in json.loads(result.stdout)["items"]}
