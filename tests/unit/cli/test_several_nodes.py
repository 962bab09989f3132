"""`minutehand run` of runs on several nodes."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from minutehand.domain.run import RunState
from minutehand.domain.share import Share
from minutehand.domain.spread import Spread
from tests.support.api_server import NOW, ApiServer
from tests.unit.cli.conftest import Cli

RUN = "20261120T080000Z"


def test_a_run_lists_its_nodes_and_a_run_on_a_node_names_the_whole(api: ApiServer, cli: Cli, job: str) -> None:
    until = NOW + timedelta(minutes=5)
    key = api.add_run(job, RUN, "waiting", attempt=1, joins_at=until, deadline_at=until)
    nodes = ("web-1", "web-2", "web-3")
    spread = Spread(parent=key, attempt=1, pool="web", nodes=nodes, min_success=3, max_parallel=2, taken=2)
    api.state.spreads[key, 1] = spread
    whole = api.state.runs[key]
    for place, state in enumerate((RunState.SUCCEEDED, RunState.WAITING)):
        part = spread.child(nodes[place])
        share = Share(key, 1, "web", nodes[place], place, 3, until)
        api.state.runs[part] = replace(whole, key=part, state=state, share=share, joins_at=None)
    first, second = (spread.child(node).run_id for node in nodes[:2])
    lines = cli("run", job, RUN).stdout.splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("nodes"))
    assert [line.split() for line in lines[place : place + 3]] == [
        ["nodes", "web-1", "succeeded", first],
        ["web-2", "waiting", second],
        ["web-3", "not", "started"],
    ]
    shown = dict(line.split("  ", 1) for line in cli("run", job, second).stdout.splitlines())
    assert shown["node"].strip() == f"web-2 of pool web, 2 of 3 of run {RUN}"
    assert cli("runs", job, "-o", "json").stdout.count('"run_id"') == 1
