import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minutehand.tools.crontab.naming import name_of


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("/usr/bin/backup.sh --full", "backup.sh"),
        ("cd / && run-parts --report /etc/cron.hourly", "cron.hourly"),
        ("test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.daily; }", "cron.daily"),
        ("[ -x /usr/lib/php/clean ] && if [ ! -d /run/x ]; then /usr/lib/php/clean; fi", "clean"),
        ("command -v debian-sa1 > /dev/null && debian-sa1 1 1", "debian-sa1"),
        ("nice -n 10 ionice -c3 /opt/x.py", "x.py"),
        ("sudo -u www-data php -f /var/www/cron.php", "cron.php"),
        ("flock -n /tmp/lock /usr/bin/sync-all", "sync-all"),
        ("timeout -k 5 10 curl -fsS https://example.com", "curl"),
        ("A=1 B='2 3' python3 -m pkg.module x", "pkg.module"),
        ("python3 /srv/app/manage.py clearsessions", "manage.py"),
        ("sh -c 'echo hi'", "sh"),
        ("(echo a; b) | c", "echo"),
        ("/a/b>/dev/null 2>&1", "b"),
        ('"/my dir/Pro gram"', "pro-gram"),
        ("it's broken", "it-s"),
        ("cd /tmp", "command"),
        ("A=1", "command"),
        ("../..", "command"),
        ("早上", "command"),
        ("nice", "nice"),
    ],
)
def test_a_job_is_named_after_the_program_that_matters(command: str, name: str) -> None:
    assert name_of(command) == name


@given(st.text(max_size=200))
def test_every_command_has_a_name_that_a_job_may_have(command: str) -> None:
    assert re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,99}", name_of(command), re.ASCII)


@pytest.mark.parametrize("command", ["nice " * 100_000, "A=1 " * 100_000, "a'" * 200_000])
def test_an_endless_command_has_a_name_too(command: str) -> None:
    assert name_of(command) in ("nice", "command", "a" * 100)
