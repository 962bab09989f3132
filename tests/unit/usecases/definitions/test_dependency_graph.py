"""Dependencies of a job, checked when it is saved."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.definition import Definition
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Dependency, On
from minutehand.usecases.definitions import dependency_graph, manage
from tests.unit.domain.examples import job
from tests.unit.usecases.stage import Stage

A, B, C, D, E = (JobKey("shop", name) for name in "abcde")


@pytest.fixture
def stage() -> Stage:
    stage = Stage()
    for key in (A, B, C, D, E):
        save(stage, key)
    return stage


def wanted(key: JobKey, *parents: JobKey | Dependency, **fields: Any) -> Job:
    entries = tuple(p if isinstance(p, Dependency) else Dependency(p, On.SUCCESS) for p in parents)
    return job("@manual", key=key, depends_on=entries, **fields)


def save(stage: Stage, key: JobKey, *parents: JobKey | Dependency, **fields: Any) -> Definition:
    return stage.save(wanted(key, *parents, **fields))


def delete(stage: Stage, key: JobKey) -> None:
    manage.delete(stage.ports, key, who=Actor("ada"))


def children(stage: Stage, key: JobKey) -> str:
    return "".join(sorted(child.name for child in stage.state.definitions[key].children))


def refused(stage: Stage, key: JobKey, *parents: JobKey | Dependency, **fields: Any) -> tuple[FieldProblem, ...]:
    """What is wrong with saving that; a preview says the same, and nothing is stored."""
    before = dict(stage.state.definitions)
    with pytest.raises(Invalid) as refusal:
        save(stage, key, *parents, **fields)
    with pytest.raises(Invalid) as previewed:
        manage.preview(stage.ports, wanted(key, *parents, **fields), keep_paused=False, who=Actor("ada"))
    assert previewed.value.problems == refusal.value.problems
    assert stage.state.definitions == before
    return refusal.value.problems


def test_a_job_is_a_child_of_its_parents_until_it_leaves_them_out(stage: Stage) -> None:
    save(stage, C, A, B)
    assert (children(stage, A), children(stage, B)) == ("c", "c")
    save(stage, C, B)
    assert (children(stage, A), children(stage, B)) == ("", "c")


def test_a_deleted_job_leaves_its_parents_children_and_returns_when_it_is_created_again(stage: Stage) -> None:
    save(stage, B, A)
    delete(stage, B)
    assert children(stage, A) == ""
    save(stage, B, A)
    assert children(stage, A) == "b"


def test_a_deleted_parent_keeps_its_children_until_it_is_created_again(stage: Stage) -> None:
    save(stage, B, A)
    delete(stage, A)
    assert children(stage, A) == "b"
    save(stage, A)
    assert children(stage, A) == "b"


def test_whatever_else_is_changed_children_stay(stage: Stage) -> None:
    save(stage, B, A)
    save(stage, A, description="another")
    manage.pause(stage.ports, A, who=Actor("ada"))
    assert children(stage, A) == "b"
    assert manage.get(stage.ports, A).job.paused


def test_a_job_whose_parent_was_deleted_can_still_be_changed_paused_and_deleted(stage: Stage) -> None:
    save(stage, B, A)
    delete(stage, A)
    save(stage, B, A, description="another")
    manage.pause(stage.ports, B, who=Actor("ada"))
    delete(stage, B)
    assert children(stage, A) == ""


def test_a_missing_parent_is_refused_with_its_place(stage: Stage) -> None:
    nobody = JobKey("shop", "nobody")
    hint = "save it first, or leave it out: minutehand list shows the jobs"
    delete(stage, B)
    assert refused(stage, C, A, nobody, B) == (
        FieldProblem("depends_on[2].job", "the job shop/b was deleted", hint),
        FieldProblem("depends_on[1].job", "there is no job shop/nobody", hint),
    )


def test_a_preview_may_take_it_that_parents_are_saved_first(stage: Stage) -> None:
    nobody = JobKey("shop", "nobody")
    delete(stage, B)
    previewed = manage.preview(
        stage.ports, wanted(C, nobody, B), keep_paused=False, who=Actor("ada"), expected=frozenset({nobody, B})
    )
    assert previewed.changed


def test_a_job_cannot_depend_on_itself(stage: Stage) -> None:
    (problem,) = refused(stage, A, B, A)
    assert problem == FieldProblem(
        "depends_on[1].job", "a job cannot depend on itself", "name another job, or leave it out"
    )


def test_one_parent_may_be_named_for_several_ends_and_for_none_twice(stage: Stage) -> None:
    save(stage, B, Dependency(A, On.SUCCESS), Dependency(A, On.SKIPPED))
    (problem,) = refused(stage, C, A, Dependency(A, On.END), A)
    assert (problem.path, problem.message) == ("depends_on[2]", "shop/a is named twice with on: success")


def test_a_job_names_sixteen_parents_at_most(stage: Stage) -> None:
    many = [JobKey("shop", f"parent-{n}") for n in range(17)]
    for key in many:
        save(stage, key)
    save(stage, B, *many[:16])
    assert [problem.message for problem in refused(stage, C, *many)] == ["has 17 entries; 16 is the most"]


def test_a_hundred_jobs_may_depend_on_one(stage: Stage) -> None:
    for n in range(100):
        save(stage, JobKey("shop", f"child-{n}"), A)
    (problem,) = refused(stage, C, B, A)
    assert (problem.path, problem.message) == ("depends_on[1].job", "100 jobs depend on shop/a already")
    save(stage, JobKey("shop", "child-7"), B)
    save(stage, C, B, A)


def test_a_window_that_no_day_is_divided_by_is_refused(stage: Stage) -> None:
    (problem,) = refused(stage, C, A, B, join_window=timedelta(hours=5))
    assert (problem.path, problem.message) == ("join_window", "5h neither divides a day nor is whole days")


def test_all_problems_of_dependencies_are_reported_at_once(stage: Stage) -> None:
    problems = refused(stage, A, A, B, B, join_window=timedelta(days=32))
    assert [problem.path for problem in problems] == ["depends_on[0].job", "depends_on[2]", "join_window"]


def test_a_circle_is_refused_with_its_path(stage: Stage) -> None:
    save(stage, B, A)
    save(stage, C, B)
    (problem,) = refused(stage, A, D, C)
    assert problem == FieldProblem(
        "depends_on[1].job",
        "shop/c runs after shop/a already: shop/a -> shop/b -> shop/c -> shop/a",
        "leave one of these dependencies out",
    )


def test_two_jobs_cannot_depend_on_each_other(stage: Stage) -> None:
    save(stage, B, A)
    (problem,) = refused(stage, A, B)
    assert problem.message.endswith("shop/a -> shop/b -> shop/a")


def test_several_paths_to_one_job_are_no_cycle(stage: Stage) -> None:
    save(stage, B, A)
    save(stage, C, A)
    save(stage, D, B, C)
    save(stage, B, A, E)
    assert children(stage, E) == "b"


def test_a_deleted_job_closes_no_cycle_until_it_is_created_again(stage: Stage) -> None:
    save(stage, B, A)
    save(stage, C, B)
    delete(stage, B)
    save(stage, A, C)
    assert [p.message for p in refused(stage, B, A)] == [
        "shop/a runs after shop/b already: shop/b -> shop/c -> shop/a -> shop/b"
    ]


def test_a_job_that_nothing_depends_on_reads_nothing_above_its_parents(stage: Stage) -> None:
    save(stage, B, A)
    stage.definitions.calls.clear()
    save(stage, C, B)
    assert stage.definitions.calls == {"get": 2, "save": 1}, "itself and its parent"


def test_a_lineage_that_is_too_long_to_read_is_refused(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependency_graph, "MOST_ANCESTORS", 2)
    save(stage, B, A)
    save(stage, C, B)
    save(stage, D, E)
    assert [p.message for p in refused(stage, E, C)] == [
        "the job would have more than 2 ancestors (parents, their parents and so on)"
    ]


# Each edge alone makes no circle with those before it; all together do. The last is saved while the others are.
RACES = [
    ("the other way round", [], [(B, A)], (A, B)),
    ("as the third of three", [(B, A)], [(C, B)], (A, C)),
    ("at the parent itself", [(E, A), (B, E)], [(C, B)], (A, C)),
    ("in the middle", [(B, A), (D, C)], [(C, B)], (A, D)),
    ("two at once", [(B, A), (E, D)], [(C, B), (D, C)], (A, E)),
]


@pytest.mark.parametrize(("there", "meanwhile", "last"), [r[1:] for r in RACES], ids=[r[0] for r in RACES])
def test_saves_that_race_close_no_circle(
    stage: Stage,
    there: list[tuple[JobKey, JobKey]],
    meanwhile: list[tuple[JobKey, JobKey]],
    last: tuple[JobKey, JobKey],
) -> None:
    for child, parent in there:
        save(stage, child, parent)

    def others() -> None:
        for child, parent in meanwhile:
            save(stage, child, parent)

    stage.definitions.before("save", others)
    with pytest.raises(Invalid, match="runs after shop/a already"):
        save(stage, *last)
    assert stage.definitions.calls["save"] == len(there) + 5 + 1 + len(meanwhile), "the last was tried once"


def test_a_parent_that_is_deleted_meanwhile_is_no_parent(stage: Stage) -> None:
    stage.definitions.before("save", lambda: delete(stage, A))
    with pytest.raises(Invalid, match="shop/a was deleted"):
        save(stage, B, A)


def test_a_concurrent_edit_of_a_parent_does_not_refuse_the_save(stage: Stage) -> None:
    stage.definitions.before("save", lambda: save(stage, A, description="another"))
    save(stage, B, A)
    assert children(stage, A) == "b"


def test_an_edit_of_a_parent_keeps_a_child_added_concurrently(stage: Stage) -> None:
    stage.definitions.before("save", lambda: save(stage, B, A))
    save(stage, A, description="another")
    assert children(stage, A) == "b"
    assert manage.get(stage.ports, A).job.description == "another"
