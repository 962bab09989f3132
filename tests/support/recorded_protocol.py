"""What agents and the API say to each other, in the words of each version: requests of its agent, with the answers of its API.

`python -m tests.support.recorded_protocol` writes those of this version. Files of earlier versions stay as they are: tests send their requests
to today's API, and give their answers to today's agent.
"""

from __future__ import annotations

import json
import tomllib
from datetime import timedelta
from pathlib import Path
from typing import Any, NoReturn

from minutehand.adapters.memory import MemoryTokens
from minutehand.agent.attendance import Patience
from minutehand.agent.ending import Outcome, ended, failed
from minutehand.agent.held_run import HeldRun
from minutehand.agent.order import read_order
from minutehand.agent.output import Output
from minutehand.agent.reporting import Ended
from minutehand.client import Conflict
from minutehand.client.agents import AgentCalls, Attempt
from minutehand.client.transport import Transport
from minutehand.domain.actor import Actor
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.domain.token import Role
from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from minutehand.entrypoints.api.forms.accept import Terms
from minutehand.targets.terms import TargetTerms
from minutehand.usecases.completion.cancel import cancel
from tests.support.agent_service import memory_service
from tests.support.api_server import NOW, TOKEN, ApiServer
from tests.support.http_server import Answered, Request

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "unit" / "agent" / "protocol"
NODE = "/stage/v1/namespaces/shop/pools/web/nodes/web-1"
JOB = JobKey("shop", "report")
COMMAND = {
    "type": "command",
    "pool": "web",
    "command": "report --day $DAY",
    "shell": "/bin/bash",
    "directory": "/srv/reports",
    "user": "reports",
    "environment": {"DAY": "{{scheduled_for}}"},
    "success_codes": [0, 3],
    "skipped_codes": [75],
}
SESSION = "session-of-the-recording"

Exchange = dict[str, Any]
"""A request and its answer: `method`, `path` below the node's, `query`, `request`, `status`, `answer`."""


class AgentApiServer(ApiServer):
    """The product's API with the function for agents, over memory. The tests' token is that of an agent.

    It has three runs of a command: the first two are due, the third is not.

    Attributes:
        exchanges: every request, with its answer.
        runs_due: the runs.
        attempt_tokens: of the attempts that were started, in order.
    """

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []
        self.attempt_tokens: list[str] = []
        super().__init__()
        service = memory_service(self.state, self.ports)
        self._app = make_app(
            Deployment(
                tokens_of=lambda: MemoryTokens(self.state),
                ports_of=lambda: self.ports,
                clock=lambda: self.now,
                tokens_kept=timedelta(0),
                nodes_of=lambda: service.agents.nodes,
                service=service,
                terms=Terms(targets=TargetTerms(workers=frozenset({"http", "agents"}))),
            )
        )
        self.add_job(str(JOB), target=COMMAND, timeout="1h", payload={"customer": "größe"}, schedule="* * * * *")
        self.runs_due = [self._claim(minute) for minute in (0, 1, 60)]
        self.now = NOW + timedelta(minutes=2)
        self.allow(Role.AGENT, "shop")
        self.exchanges.clear()

    def answer(self, request: Request) -> Answered:
        """The answer, which is noted."""
        answered = super().answer(request)
        exchange = {
            "method": request.method,
            "path": request.path.removeprefix(NODE),
            "query": request.query,
            "request": json.loads(request.raw) if request.raw else None,
            "status": answered.status,
            "answer": json.loads(answered.body) if answered.body else None,
        }
        self.exchanges.append(exchange)
        for item in (exchange["answer"] or {}).get("items", ()):
            if "order" in item:
                self.attempt_tokens.append(item["order"]["token"])
        return answered

    def cancel_second(self) -> None:
        """Cancel the second run."""
        cancel(self.ports, self.runs_due[1], who=Actor("ada"))

    def _claim(self, minute: int) -> RunKey:
        key = RunKey.scheduled(JOB, NOW + timedelta(minutes=minute))
        self.state.runs[key] = Run(
            key=key, target="command", revision=1, claimed_at=NOW, expires_at=NOW + timedelta(days=30)
        )
        return key


def recorded() -> list[Exchange]:
    """What this version's agent and API say, with names for the tokens that the API makes up."""
    with AgentApiServer() as server:
        _play(server)
        text = json.dumps(server.exchanges)
        for place, token in enumerate(server.attempt_tokens, 1):
            text = text.replace(token, f"token-of-attempt-{place}")
    found: list[Exchange] = json.loads(text)
    return found


def _play(server: AgentApiServer) -> None:
    """Register, ask for the orders of three runs, beat and report, as an agent does."""
    runs: list[Attempt] = [{"job": str(key.job), "run_id": key.run_id, "attempt": 1} for key in server.runs_due]
    http = Transport(server.url, TOKEN, timeout=15, retries=0, backoff=0)
    with AgentCalls(http, pool="shop/web", node="web-1", session=SESSION) as calls:
        calls.register(host="web-1.shop.internal", version=version(), tags={"zone": "a"}, slots=4)
        calls.credentials()
        orders = [each["order"] for each in calls.starts(runs) if each["decision"] == "run"]
        first, second = (
            HeldRun(read_order(each), _never, asked_at=0, clock=lambda: 0.0, patience=Patience()) for each in orders
        )
        first.command.output.feed(b"::progress 40 two of five\n")
        calls.beat([first.running(), second.running()])
        server.cancel_second()
        calls.beat([first.running(), second.running()])
        output = Output()
        output.feed(b"done\n")
        succeeded = ended(first.order, 0, output, 1.5, stop=None, left=False)
        late = failed("ExitCode", "the command ended with exit code 1")
        calls.report([Ended(first, succeeded).report(), Ended(second, late).report()])
        calls.report([Ended(first, Outcome("skipped", None, None)).report()])
        with AgentCalls(http, pool="shop/web", node="web-1", session="session-of-another") as others:
            try:
                others.register(host="web-2.shop.internal", version=version(), tags={}, slots=1)
            except Conflict:
                calls.leave()


def version() -> str:
    """The version of this checkout."""
    found: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    return found


def _never(_stdin: int, _output: int) -> NoReturn:
    raise AssertionError("nothing is run")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    text = json.dumps(recorded(), indent=2, ensure_ascii=False)
    (FOLDER / f"{version()}.json").write_text(f"{text}\n", encoding="utf-8")
