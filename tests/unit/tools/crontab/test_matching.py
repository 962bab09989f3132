import re

from minutehand.tools.crontab.planning import Matching, Present, Wanted, match


def wanted(base: str, line: str = "a", schedule: str = "@daily", source: str = "web") -> Wanted:
    return Wanted(source=source, line=line, base=base, schedule=schedule, timezone="UTC")


def present(name: str, line: str = "a", schedule: str = "@daily", source: str = "web") -> Present:
    return Present(name=name, source=source, line=line, schedule=schedule, timezone="UTC")


def matched(lines: list[Wanted], jobs: list[Present], taken: tuple[str, ...] = (), *, reuse: bool = False) -> Matching:
    return match(lines, jobs, {*taken, *(job.name for job in jobs)}, reuse=reuse)


def test_a_command_that_is_there_once_gives_its_job_its_own_name() -> None:
    assert matched([wanted("backup.sh", "a"), wanted("sync", "b")], []).names == ["backup.sh", "sync"]


def test_names_that_would_collide_get_a_hash_whatever_the_order() -> None:
    one, two = wanted("php", "a"), wanted("php", "b")
    names = matched([one, two], []).names
    assert all(re.fullmatch(r"php-[0-9a-f]{6}", name) for name in names)
    assert len(set(names)) == 2
    assert matched([two, one], []).names == names[::-1]


def test_the_same_command_at_several_times_is_several_jobs() -> None:
    lines = [wanted("a", "a", "@daily"), wanted("a", "a", "@hourly"), wanted("a", "a", "@hourly")]
    assert len(set(matched(lines, []).names)) == 3


def test_a_name_that_somebody_else_s_job_has_is_left_alone() -> None:
    [name] = matched([wanted("backup")], [], ("backup",)).names
    assert name.startswith("backup-")


def test_a_line_stays_the_job_that_it_was_when_its_schedule_changes() -> None:
    found = matched([wanted("backup", schedule="@hourly")], [present("renamed-once")])
    assert (found.names, found.gone) == (["renamed-once"], [])


def test_of_several_lines_that_run_the_same_each_finds_its_own_times_first() -> None:
    jobs = [present("a-1", schedule="@daily"), present("a-2", schedule="@hourly")]
    lines = [wanted("a", schedule="@weekly"), wanted("a", schedule="@daily")]
    assert matched(lines, jobs).names == ["a-2", "a-1"]


def test_a_job_whose_line_is_gone_keeps_its_name_unless_it_may_be_taken_over() -> None:
    old = present("backup", "old")
    kept = matched([wanted("backup", "new")], [old])
    assert kept.gone == [old]
    assert kept.names[0].startswith("backup-")
    assert matched([wanted("backup", "new")], [old], reuse=True) == Matching(["backup"], [])


def test_jobs_of_other_files_are_other_jobs() -> None:
    found = matched([wanted("a", source="cron.d/one")], [present("a", source="cron.d/two")])
    assert found.gone == [present("a", source="cron.d/two")]


def test_matching_again_what_was_matched_changes_nothing() -> None:
    lines = [wanted("a", "x"), wanted("a", "y"), wanted("b", "z"), wanted("b", "z", "@hourly"), wanted("b", "z")]
    names = matched(lines, []).names
    jobs = [present(name, line.line, line.schedule) for name, line in zip(names, lines, strict=True)]
    again = matched(lines, jobs)
    assert (sorted(again.names), again.gone) == (sorted(names), [])
    assert again.names[:2] == names[:2]
