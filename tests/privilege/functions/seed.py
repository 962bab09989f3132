"""The exercise of the custom resource for the admin token."""

from __future__ import annotations

import json
from contextlib import contextmanager
from threading import Thread
from typing import Any

from localstack.echo import EchoServer

from tests.privilege.scene import Scene
from tests.privilege.setups import Effects


def seed(scene: Scene) -> Effects:
    """The deletion of the stack, its creation anew, and an update."""
    statuses, kept = [], []
    with _listening() as service:
        for request in ("Delete", "Create", "Update"):
            event = {"RequestType": request, "ResponseURL": f"{service.url}/answer", "StackId": "stack"}
            scene.runner.invoke("Seed", event | {"RequestId": "request", "LogicalResourceId": "AdminToken"})
            statuses.append(json.loads(service.calls[-1]["body"])["Status"] == "SUCCESS")
            kept.append(scene.bench.has_admin_token())
    return {
        "its parameter is deleted": statuses[0] and not kept[0],
        "its parameter is made": statuses[1] and kept[1],
        "the admin token is stored": statuses[2],
    }


@contextmanager
def _listening() -> Any:
    with EchoServer(0) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
