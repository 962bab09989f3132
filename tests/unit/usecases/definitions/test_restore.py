"""What is restored of an export: settings of namespaces, and pauses that have not ended since."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.errors import Invalid
from minutehand.domain.namespace import Namespace
from minutehand.domain.quota import Quota
from minutehand.usecases.definitions import namespaces
from minutehand.usecases.definitions.restore import Restored, Settings, restore_namespace, still_paused
from tests.unit.domain.examples import at
from tests.unit.usecases.stage import Stage

ADA = Actor("ada")
NOTHING = Settings(max_concurrency=None, shadow=False, paused=False)
NOW = "09:00:30"


@pytest.fixture
def stage() -> Stage:
    return Stage(NOW)


def restore(stage: Stage, settings: Settings) -> Restored:
    return restore_namespace(stage.ports, "shop", settings, who=ADA)


@pytest.mark.parametrize("paused", [True, at("09:30"), False])
def test_settings_are_restored_and_restoring_them_again_changes_nothing(stage: Stage, paused: Any) -> None:
    settings = Settings(max_concurrency=5, shadow=True, paused=paused)
    first = restore(stage, settings)
    assert (first.created, first.changed) == (True, True)
    stored = namespaces.get(stage.ports, "shop")
    pause = stored.paused(at(NOW))
    assert stored == first.namespace
    assert (stored.max_concurrency, stored.shadow) == (5, True)
    assert (False if pause is None else pause.until or True) == paused
    assert restore(stage, settings) == Restored(stored, created=False, changed=False)


def test_a_namespace_without_settings_gets_none(stage: Stage) -> None:
    assert restore(stage, NOTHING) == Restored(Namespace(name="shop"), created=False, changed=False)
    assert not stage.state.settings


def test_a_restore_ends_a_pause_and_a_limit_but_neither_a_shadow_nor_a_quota(stage: Stage) -> None:
    restore(stage, Settings(max_concurrency=5, shadow=True, paused=True))
    namespaces.set_quota(stage.ports, "shop", Quota(concurrency=3), who=ADA)
    restored = restore(stage, NOTHING)
    assert (restored.created, restored.changed) == (False, True)
    after = restored.namespace
    assert (after.max_concurrency, after.paused(at(NOW)), after.shadow, after.quota) == (
        None,
        None,
        True,
        Quota(concurrency=3),
    )


def test_a_restore_that_fails_midway_has_put_the_namespace_in_shadow_first(stage: Stage) -> None:
    with pytest.raises(Invalid):
        restore(stage, Settings(max_concurrency=5, shadow=True, paused=at("09:00")))
    assert namespaces.get(stage.ports, "shop").shadow


@pytest.mark.parametrize(
    ("paused", "restored"),
    [
        (True, True),
        (False, False),
        ({"until": "2026-11-20T09:00:30Z"}, False),
        ({"until": "2026-11-20T10:00:30+01:00"}, False),
        ({"until": "2026-11-20T09:00:31Z"}, {"until": "2026-11-20T09:00:31Z"}),
        ({"until": "soon"}, {"until": "soon"}),
        ({"until": 5}, {"until": 5}),
        ({}, {}),
        ("yes", "yes"),
        (None, None),
    ],
)
def test_a_pause_that_has_ended_is_not_restored_and_what_is_none_is_left_to_checks(paused: Any, restored: Any) -> None:
    assert still_paused(paused, at(NOW)) == restored
