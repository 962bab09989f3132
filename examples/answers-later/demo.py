"""The service that answers later: a run that it reports on, and one that is cancelled while it works."""

import json

from examples.stage import Stage, say, wait_until

from minutehand.client import Client

JOB = "demo/copy"


def play(stage: Stage) -> None:
    """Let the service copy some files, and cancel its next run in the middle."""
    with (
        Client(stage.stack.url, stage.stack.token) as client,
        stage.service("service.py", "--port", "0") as service,
        stage.jobs(JOB),
    ):
        stage.apply("copy.yaml", {"http://127.0.0.1:4610": service.url})
        triggered = json.loads(stage.minutehand("trigger", JOB, "--wait", "-o", "json"))
        stage.minutehand("run", JOB, triggered["run_id"])
        run_id = client.trigger(JOB, payload={"files": 100, "seconds": 0.5})["run_id"]
        wait_until(lambda: client.run(JOB, run_id)["progress"], seconds=60, what="the service reports progress")
        stage.minutehand("cancel", JOB, run_id)
        wait_until(lambda: client.run(JOB, run_id)["state"] == "cancelled", seconds=60, what="the run is cancelled")
        stage.minutehand("run", JOB, run_id)
        say("\nthe service has printed:")
        service.show_until("stopped after")
