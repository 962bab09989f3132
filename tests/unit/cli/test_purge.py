"""The command `purge`."""

import json

from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli


def test_a_purge_asks_first_and_counts_what_it_did(api: ApiServer, cli: Cli) -> None:
    api.add_job("shop/report")
    assert "confirm with --yes" in cli("purge", "shop/report").stderr
    declined = cli("purge", "shop/report", attended=True, stdin="n\n")
    assert declined.exit_code == 1
    done = cli("purge", "shop/report", "--before", "30d", "--yes")
    assert (done.stdout, done.exit_code) == ("purged  shop/report  0 runs removed\n", 0)


def test_programs_get_the_counts(api: ApiServer, cli: Cli) -> None:
    api.add_job("shop/report")
    done = json.loads(cli("purge", "shop/report", "--yes", "-o", "json").stdout)
    assert done == {"job": "shop/report", "removed": 0, "emptied": 0, "active": 0}


def test_a_job_that_does_not_exist_is_not_found(cli: Cli) -> None:
    assert cli("purge", "shop/nothing", "--yes").exit_code == 3
