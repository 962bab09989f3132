"""A chain by the clock, triggered by hand: a job that runs when both of its parents have succeeded."""

from examples.stage import Stage, wait_until

from minutehand.client import Client

JOBS = ("demo/alarm", "demo/report", "demo/stock", "demo/extract")


def play(stage: Stage) -> None:
    """Trigger both parents, and show the child's run with what it received."""
    with Client(stage.stack.url, stage.stack.token) as client, stage.jobs(*JOBS):
        stage.apply("nightly.yaml", {"http://127.0.0.1:4600": stage.stack.echo_url})
        stage.minutehand("trigger", "demo/extract", "--wait")
        stage.minutehand("trigger", "demo/stock", "--wait")
        child = wait_until(
            lambda: next((run for run in client.runs("demo/report") if run["finished_at"]), None),
            seconds=60,
            what="the report ends",
        )
        stage.minutehand("run", "demo/report", child["run_id"])
