"""The exercise of the observer."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.policies import Overlap
from minutehand.usecases.queries import observation
from tests.privilege.scene import OFTEN, Scene
from tests.privilege.setups import Effects

ALL = 10_000


def observer(scene: Scene) -> Effects:
    """An overdue timer in the due index, a packed one, and a run that has not begun, with a turn for every shard, bucket and namespace."""
    long_ago = scene.now - timedelta(minutes=7)
    shared, packed = scene.job("shared", OFTEN), scene.job("packed", OFTEN)
    for job in (shared, packed):
        scene.set_next_at(job, long_ago)
    scene.pack(packed)
    scene.run(scene.job("stuck", overlap=Overlap.ALLOW), long_ago)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(observation, "PARTS", ALL)
        patch.setattr(observation, "NAMESPACES", ALL)
        answer = scene.runner.invoke("Observer", {})
    return {
        "the observation succeeds": "errorMessage" not in answer,
        "an overdue timer is found": answer.get("overdue", 0) >= 2,
        "a run that has not begun is found": answer.get("unstarted", 0) >= 1,
    }
