"""Which job a name in a log means."""

from __future__ import annotations

import pytest

from minutehand.tools.comparing.names import Known, Names, Unknown

JOBS = (
    Known("shop/report", imported="Daily Report"),
    Known("shop/close", command="/usr/bin/close --all"),
    Known("ops/report"),
    Known("shop/a", imported="twin"),
    Known("shop/b", imported="twin"),
)


@pytest.mark.parametrize(
    ("name", "job"),
    [
        ("shop/report", "shop/report"),
        ("ops/report", "ops/report"),
        ("report", "shop/report"),
        ("Daily Report", "shop/report"),
        ("other/Daily Report", "shop/report"),
        ("/usr/bin/close --all", "shop/close"),
        ("mapped", "shop/close"),
        ("run-parts /etc/cron.hourly", None),
    ],
)
def test_a_name_means_a_job_by_name_label_command_or_mapping(name: str, job: str | None) -> None:
    assert Names(JOBS, {"mapped": "close", "run-parts*": "-"}, "shop").job_of(name) == job


def test_a_name_that_means_no_job_or_several_is_unknown() -> None:
    names = Names(JOBS, {}, "shop")
    assert names.job_of("nothing") == Unknown("no job has this name, label or command")
    assert names.job_of("twin") == Unknown("it may be shop/a, shop/b")
