"""Histories in which each job has several endpoints that fail and return, and whose workers die between taking and giving back.

Shared state is advice: whatever happens to it, the promises of runs hold. In half of the histories its store never fails, so that each
choice can be judged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.adapters.memory import MemoryBalances, MemoryState
from minutehand.domain.balance import Balance, CallEnd
from minutehand.domain.endpoint import Endpoint
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Result, RunError, RunState
from minutehand.domain.run_key import RunKey
from minutehand.targets.http.deadline import Reach
from minutehand.targets.http.endpoint_fields import Choose, Eject, Endpoints, NextEndpoint
from minutehand.targets.http.endpoints.balancer import Balancer, Sent
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.ports.target import Call, Outcome
from tests.simulation.checker import violations
from tests.simulation.engine import START, Died, Process
from tests.simulation.faults import Faulty
from tests.simulation.scenario import CHAOS, Scenario
from tests.simulation.targets import Targets

END = START + CHAOS + timedelta(minutes=9)
SKEW = timedelta(seconds=2)
"""Two processes, each with a clock of its own."""
ENOUGH = 14
"""So many calls of a job must come to each of its endpoints: two rounds of the longest schedule."""
LONGEST_HOLD = timedelta(minutes=20)
"""Longer than any call of a history, and as long again."""
REFUSED = Outcome(RunState.FAILED, error=RunError("ConnectionRefused", "refused"))


class Tried(NamedTuple):
    """An endpoint that an attempt tried."""

    run: RunKey
    attempt: int
    endpoint: str
    at: datetime
    received: bool


@dataclass(frozen=True)
class Ejected:
    """An ejection, as it was stored."""

    job: JobKey
    endpoint: str
    until: datetime


class Several(Scenario):
    """One seeded history of jobs with several endpoints.

    Attributes:
        reliable: whether the store of the shared state never fails.
        down: when each endpoint accepts no connection.
        died: how many workers died whose call was counted in flight.
        misled: choices of an ejected endpoint while another one was left.
    """

    quiet = timedelta(minutes=60)

    def __init__(self, seed: int, *, trace: bool = False) -> None:
        super().__init__(seed, trace=trace)
        random = self.engine.random
        self.reliable = seed % 2 == 0
        number = random.choice((2, 3, 3))
        self.endpoints = tuple(Endpoint(f"http://10.0.0.{n}", random.choice((1, 1, 2))) for n in range(number))
        self.policy = Endpoints(
            choose=(Choose.ROUND_ROBIN, Choose.FEWEST)[seed // 2 % 2],
            next_endpoint=random.choice((NextEndpoint.ATTEMPT, NextEndpoint.ATTEMPT, NextEndpoint.RETRY)),
            eject=Eject(random.choice((1, 2, 3)), timedelta(seconds=random.choice((5, 30)))),
        )
        self.down = {each.url: [*self._absences()] for each in self.endpoints}
        self.balances = _Observed(self.state, self)
        self.targets = _Targets(self)
        self.tried: list[Tried] = []
        self.ejections: list[Ejected] = []
        self.misled: list[str] = []
        self.died = 0

    def _absences(self) -> Iterator[tuple[datetime, datetime]]:
        random = self.engine.random
        for _ in range(random.choice((0, 1, 2))):
            begins = START + timedelta(seconds=random.uniform(0, CHAOS.total_seconds()))
            yield begins, begins + timedelta(seconds=random.choice((10, 60, 200)))

    def is_down(self, url: str) -> bool:
        """Whether an endpoint accepts no connection now."""
        return any(begins <= self.engine.now < ends for begins, ends in self.down[url])


class _Observed(MemoryBalances):
    """The shared state; its ejections are recorded."""

    def __init__(self, state: MemoryState, scenario: Several) -> None:
        super().__init__(state)
        self._scenario = scenario

    def record(self, job: JobKey, end: CallEnd, now: datetime) -> None:
        super().record(job, end, now)
        until = self.get(job).ejected.get(end.endpoint)
        if end.failed and until is not None:
            self._scenario.ejections.append(Ejected(job, end.endpoint, until))


class _Targets(Targets):
    """Targets that are called at one of their endpoints."""

    def __init__(self, scenario: Several) -> None:
        super().__init__(scenario)
        self._several = scenario
        self._balancers: dict[Process, Balancer] = {}

    def call(self, process: Process, target: HttpTarget, call: Call) -> Outcome:
        several = self._several
        if process not in self._balancers:
            store = several.balances if several.reliable else Faulty(process, several.balances)
            self._balancers[process] = Balancer(store, process.clock)  # type: ignore[arg-type]
        own: set[str] = set()

        def send(url: str, _left: int) -> Sent:
            if several.reliable:
                self._judge(process, call, url, own)
            own.add(url)
            down = several.is_down(url)
            several.tried.append(Tried(call.run.key, call.run.attempt, url, self.engine.now, not down))
            if down:
                process.sleep(0.01)
                return Sent(REFUSED, Reach.CONNECTION)
            try:
                return Sent(_answered(super(_Targets, self).call(process, target, call)), Reach.REQUEST)
            except Died:
                several.died += several.policy.choose is Choose.FEWEST
                raise

        outcome = self._balancers[process].call(several.policy, several.endpoints, call, send)
        return self._answered(call, outcome) if outcome.error == REFUSED.error else outcome

    def _judge(self, process: Process, call: Call, url: str, own: set[str]) -> None:
        """Note a choice of an ejected endpoint while there was another one."""
        state, now = self._several.balances.get(call.run.key.job), process.clock()
        others = {each.url for each in self._several.endpoints} - own - {url}
        free = [other for other in others if not _is_out(state, other, now)]
        if free and _is_out(state, url, now):
            self._several.misled.append(
                f"{call.run.key}: {url} was called at {now} although it is left out, and not {free}"
            )


def _is_out(state: Balance, url: str, now: datetime) -> bool:
    """Whether an endpoint is left out: the judge's own reading."""
    return url in state.ejected and state.ejected[url] > now


def _answered(outcome: Outcome) -> Outcome:
    """An outcome with the answer of which its error speaks."""
    broken = outcome.error is not None and outcome.error.type == "HttpStatus"
    return outcome._replace(result=Result("http", 503, "")) if broken else outcome


def problems(seed: int) -> list[str]:
    """What broke a promise in a history."""
    scenario = Several(seed)
    scenario.play()
    return [*judged(scenario), *violations(scenario)]


def judged(scenario: Several) -> Iterator[str]:
    """What broke a promise about endpoints in a history that was played."""
    yield from scenario.misled
    yield from _sent_once(scenario)
    yield from _come_back(scenario)
    yield from _leak_nothing(scenario)
    yield from _are_on_record(scenario)
    for run in scenario.state.runs.values():
        if run.error is not None and run.error.type == "Unavailable":
            yield f"{run.key}: the call was not made, since the state of its endpoints did not answer"


def _sent_once(scenario: Several) -> Iterator[str]:
    """An attempt is received at most once, and nothing is tried after that."""
    attempts: dict[tuple[RunKey, int], list[Tried]] = defaultdict(list)
    for each in scenario.tried:
        attempts[each.run, each.attempt].append(each)
    for (run, attempt), tried in attempts.items():
        if any(each.received for each in tried[:-1]):
            yield f"{run} #{attempt}: sent again after {next(each.endpoint for each in tried if each.received)} received it"
        if len({each.endpoint for each in tried}) < len(tried):
            yield f"{run} #{attempt}: an endpoint was tried twice"
        if len(tried) > 1 and scenario.policy.next_endpoint is NextEndpoint.RETRY:
            yield f"{run} #{attempt}: tried elsewhere, which only another attempt may"


def _come_back(scenario: Several) -> Iterator[str]:
    """After its last ejection, an endpoint gets its share of the calls again."""
    last = {(each.job, each.endpoint): each.until for each in scenario.ejections}
    for (job, url), until in last.items():
        later = [each for each in scenario.tried if each.run.job == job and each.at > until + SKEW]
        if len(later) >= ENOUGH and url not in {each.endpoint for each in later}:
            yield f"{job}: {url} was left out until {until}, and none of {len(later)} later calls came to it"


def _leak_nothing(scenario: Several) -> Iterator[str]:
    """A call that ended, or whose worker died, is not in flight for ever; and the state stays small."""
    now = scenario.engine.now + LONGEST_HOLD
    for job, state in scenario.state.balances.items():
        for each in scenario.endpoints:
            if state.in_flight(each.url, now):
                yield f"{job}: calls to {each.url} are in flight at the end: {state.held}"
        if len(state.held) > 6 * len(scenario.endpoints):
            yield f"{job}: the state has {len(state.held)} counts of calls"


def _are_on_record(scenario: Several) -> Iterator[str]:
    """The endpoints that a run names for an attempt are those that it tried, in order."""
    for run in scenario.state.runs.values():
        for attempt in {visit.attempt for visit in run.visits}:
            named = [visit.endpoint for visit in run.visits if visit.attempt == attempt]
            tried = [each.endpoint for each in scenario.tried if (each.run, each.attempt) == (run.key, attempt)]
            if named != tried:
                yield f"{run.key} #{attempt}: its record names {named}, it tried {tried}"
