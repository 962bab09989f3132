"""Two handlers behind a web service: the extract's success starts the other, which reads its result."""

from examples.stage import Stage, wait_until

from minutehand.client import Client

EXTRACT, NIGHTLY = JOBS = ("demo/reports.extract", "demo/reports.nightly")


def play(stage: Stage) -> None:
    """Sync the handlers, and trigger the first one with a right and a wrong payload."""
    with (
        Client(stage.stack.url, stage.stack.token) as client,
        stage.service("service.py", "--port", "0") as service,
        stage.jobs(*JOBS),
    ):
        header = "Authorization: Bearer only-for-trying-it-out"
        stage.minutehand("sync", "reports", "-n", "demo", "--target", service.url, "--header", header)
        stage.minutehand("trigger", EXTRACT, "--payload", '{"day": "2026-11-20"}', "--wait")
        child = wait_until(
            lambda: next((run for run in client.runs(NIGHTLY) if run["finished_at"]), None),
            seconds=60,
            what="the child of the extract ends",
        )
        stage.minutehand("run", NIGHTLY, child["run_id"])
        wrong = client.trigger(EXTRACT, payload={"day": "soon"})["run_id"]
        wait_until(
            lambda: client.run(EXTRACT, wrong)["finished_at"], seconds=60, what="the run with a wrong payload ends"
        )
        stage.minutehand("run", EXTRACT, wrong)
