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
    """An update of the stack."""
    with _listening() as service:
        event = {"RequestType": "Update", "ResponseURL": f"{service.url}/answer", "StackId": "stack"}
        scene.runner.invoke("Seed", event | {"RequestId": "request", "LogicalResourceId": "AdminToken"})
        [call] = service.calls
    return {"the admin token is stored": json.loads(call["body"])["Status"] == "SUCCESS"}


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
