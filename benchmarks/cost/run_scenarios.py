"""Scenarios of scheduled runs. `start_counting` marks where the counting starts."""

from __future__ import annotations

from datetime import timedelta
from itertools import chain, repeat
from typing import Any

from benchmarks.cost.scenario import CANCELLED, REFUSED, SELDOM, TOMORROW, WHO, Scenario, WorkerDied, answer
from benchmarks.worker import SUCCEEDED
from benchmarks.workload import NINE
from minutehand.domain.endpoint import Endpoint
from minutehand.domain.policies import Backoff, CatchUp, NamedLimit, Overlap, Retry
from minutehand.domain.quota import REACH, SPREAD, Quota
from minutehand.domain.run_key import RunKey
from minutehand.targets.http.deadline import Reach
from minutehand.targets.http.endpoint_fields import Choose, Endpoints
from minutehand.targets.http.endpoints.balancer import Balancer, Sent
from minutehand.usecases.definitions import namespaces
from minutehand.usecases.dispatching.send import message_for
from minutehand.usecases.ports.target import Outcome

_TWO_RUNS = ("0,3 10 * * FRI", TOMORROW)
_TWO_ATTEMPTS = Retry(max_attempts=2)


def one_run(scenario: Scenario, *outcomes: Outcome, **fields: Any) -> None:
    """A run from claim to report."""
    scenario.save(**fields)
    scenario.start_counting()
    scenario.dispatch()
    scenario.work(*outcomes)


def plain(scenario: Scenario) -> None:
    """A job without any feature."""
    one_run(scenario)


def seldom(scenario: Scenario) -> None:
    """A job whose timer is not packed."""
    one_run(scenario, schedule=SELDOM)


def first(scenario: Scenario) -> None:
    """The first run of a job, with which it leaves the slow lane."""
    scenario.save()
    scenario.start_counting(first=True)
    scenario.dispatch()
    scenario.work()


def unused_policies(scenario: Scenario) -> None:
    """Policies that never apply."""
    one_run(scenario, retry=_TWO_ATTEMPTS, run_timeout=timedelta(hours=1), jitter=timedelta(seconds=1), takeovers=5)


def records_units(scenario: Scenario) -> None:
    """A run that records its usage."""
    one_run(scenario, record_units=True)


def fails(scenario: Scenario) -> None:
    """A run whose only attempt fails."""
    one_run(scenario, REFUSED)


def long_answer(scenario: Scenario) -> None:
    """An answer too long for the record, below 1 KB."""
    one_run(scenario, answer(200, 512))


def longer_answer(scenario: Scenario) -> None:
    """An answer too long for the output's item."""
    one_run(scenario, answer(200, 100_000))


def retried(scenario: Scenario) -> None:
    """A second attempt, after no answer."""
    one_run(scenario, REFUSED, retry=_TWO_ATTEMPTS)
    scenario.later(60)
    scenario.work()


def retried_after_an_answer(scenario: Scenario) -> None:
    """A second attempt, after a 503."""
    one_run(scenario, answer(503, 20), retry=_TWO_ATTEMPTS)
    scenario.later(60)
    scenario.work()


def retried_much_later(scenario: Scenario) -> None:
    """A second attempt, later than a message can be delayed."""
    wait = timedelta(hours=2)
    one_run(scenario, REFUSED, retry=Retry(max_attempts=2, backoff=Backoff(initial=wait, max=wait, jitter=0)))
    scenario.at("11:59:00")
    scenario.tick()
    scenario.at("12:00:05")
    scenario.work()


def retried_under_a_lock(scenario: Scenario) -> None:
    """A second attempt of a run that holds the overlap lock."""
    one_run(scenario, REFUSED, retry=_TWO_ATTEMPTS, overlap=Overlap.QUEUE_ALL)
    scenario.later(60)
    scenario.work()


def starts_late(scenario: Scenario) -> None:
    """A run with a jitter longer than a message can be delayed."""
    scenario.save(jitter=timedelta(hours=12))
    scenario.start_counting()
    scenario.dispatch()
    scenario.at("22:30:00")
    scenario.tick()
    scenario.later(1)
    scenario.work()


def attempted(scenario: Scenario, attempts: int) -> RunKey:
    """A run whose last attempt is the first one with an answer."""
    backoff = Backoff(initial=timedelta(seconds=1), factor=1, jitter=0)
    scenario.save(retry=Retry(max_attempts=20, backoff=backoff))
    scenario.start_counting()
    key = scenario.dispatch()
    for number in range(1, attempts + 1):
        scenario.work(SUCCEEDED if number == attempts else REFUSED)
        scenario.later(60)
    return key


def ten_attempts(scenario: Scenario) -> None:
    """A run of ten attempts."""
    attempted(scenario, 10)


def taken_over(scenario: Scenario) -> None:
    """A second attempt, after the first worker died during its call."""

    def dies(_target: Any, _call: Any) -> Outcome:
        raise WorkerDied

    scenario.save()
    scenario.start_counting()
    key = scenario.dispatch()
    try:
        scenario.call(dies)
    except WorkerDied:
        scenario.later(600)
    scenario.ports.outbox.send([message_for(scenario.run(key))])
    scenario.work()


def locked(scenario: Scenario) -> None:
    """A run that takes the free overlap lock."""
    one_run(scenario, overlap=Overlap.QUEUE_ALL)


def two_apart(scenario: Scenario) -> None:
    """Two runs that take the lock one after the other."""
    _two_runs(scenario, overlap=Overlap.QUEUE_ALL)


def skips(scenario: Scenario) -> None:
    """A run skipped because another is active."""
    _overlapping(scenario, Overlap.SKIP)


def queues(scenario: Scenario) -> None:
    """A run that waits for an active one."""
    _overlapping(scenario, Overlap.QUEUE_ALL)
    scenario.work()


def replaces(scenario: Scenario) -> None:
    """A run that cancels an active one."""
    _overlapping(scenario, Overlap.REPLACE, CANCELLED)
    scenario.work()


def limited(scenario: Scenario) -> None:
    """A run that takes a concurrency slot."""
    one_run(scenario, max_concurrency=5)


def limited_and_locked(scenario: Scenario) -> None:
    """A run that takes a slot and the lock."""
    one_run(scenario, max_concurrency=5, overlap=Overlap.QUEUE_ALL)


def named_limit(scenario: Scenario) -> None:
    """A run that takes a slot of a limit that its job shares with others."""
    one_run(scenario, limits=(NamedLimit("db", 5),))


def two_named_limits(scenario: Scenario) -> None:
    """A run that takes a slot of each of two limits."""
    one_run(scenario, limits=(NamedLimit("db", 5), NamedLimit("licence", 5)))


def two_limited_apart(scenario: Scenario) -> None:
    """Two runs that take the only slot one after the other."""
    _two_runs(scenario, max_concurrency=1)


def looks_again(scenario: Scenario) -> None:
    """A run that finds no slot at first."""
    _overlapping(scenario, Overlap.ALLOW, max_concurrency=1)
    scenario.later(30)
    scenario.work()


def paced(scenario: Scenario) -> None:
    """A run under a quota of runs a minute, not the first of its minute."""
    _under_quota(scenario, most=5)


def waits_for_its_minute(scenario: Scenario) -> None:
    """A run under a quota of runs a minute that finds its minute full."""
    _under_quota(scenario, most=1)
    scenario.later(80)
    scenario.work()


def begins_a_minute(scenario: Scenario) -> None:
    """A run under a quota of runs a minute, the first of its minute."""
    _under_quota(scenario, most=5, taken=0)


def finds_no_place(scenario: Scenario) -> None:
    """A run under a quota of runs a minute that at first finds no place, and is then the first of its minute."""
    _under_quota(scenario, most=1, taken=REACH)
    scenario.later(REACH * 60 + SPREAD)
    scenario.work()


def _under_quota(scenario: Scenario, *, most: int, taken: int = 1) -> None:
    """A run for which so many places have been given out already, from its own minute on."""
    namespace, stored = scenario.key.namespace, scenario.ports.namespaces
    namespaces.set_quota(scenario.ports, namespace, Quota(runs_per_minute=most), who=WHO)
    if taken:
        stored.restart_pace(namespace, None, NINE + timedelta(hours=1))
    for _ in range(1, taken):
        stored.take_place(namespace)
    one_run(scenario)


def takes_turns(scenario: Scenario) -> None:
    """A run that calls one of two endpoints by turns."""
    _shared(scenario, Choose.ROUND_ROBIN)


def goes_where_the_fewest_are(scenario: Scenario) -> None:
    """A run that calls the endpoint with the fewest calls in flight."""
    _shared(scenario, Choose.FEWEST)


def endpoint_fails(scenario: Scenario) -> None:
    """A run whose first endpoint cannot be reached, and whose second one succeeds."""
    _shared(scenario, Choose.ROUND_ROBIN, fails=1)


def _shared(scenario: Scenario, choose: Choose, *, fails: int = 0) -> None:
    scenario.save()
    scenario.start_counting()
    scenario.dispatch()
    balancer = Balancer(scenario.balancing.balances, scenario.ports.clock)
    ends = chain(repeat(Sent(REFUSED, Reach.CONNECTION), fails), repeat(Sent(SUCCEEDED, Reach.REQUEST)))
    endpoints, found = Endpoints(choose=choose), [Endpoint("http://10.0.3.7:8080"), Endpoint("http://10.0.3.8:8080")]
    scenario.call(lambda _, call: balancer.call(endpoints, found, call, lambda _url, _left: next(ends)))


def in_a_pause(scenario: Scenario) -> None:
    """A run due while its namespace is paused."""
    namespaces.pause(scenario.ports, scenario.key.namespace, who=WHO)
    one_run(scenario)


def fixed_delay(scenario: Scenario) -> None:
    """A run whose end schedules the next."""
    scenario.at("09:50:00")
    one_run(scenario, schedule="@after 10m")


def long_fixed_delay(scenario: Scenario) -> None:
    """A run whose end schedules the next, so much later that the timer is not packed."""
    scenario.at("06:00:00")
    one_run(scenario, schedule="@after 4h")


def counted(scenario: Scenario) -> None:
    """A run of a job with a limit of runs."""
    one_run(scenario, max_runs=5)


def missed(scenario: Scenario) -> None:
    """Occurrences that are skipped because nothing ticked."""
    scenario.save(catch_up=CatchUp.SKIP)
    scenario.start_counting()
    scenario.at("15:00:00")
    scenario.tick()
    scenario.later(180)
    scenario.tick()


def _two_runs(scenario: Scenario, **fields: Any) -> None:
    scenario.save(schedule=_TWO_RUNS, **fields)
    scenario.start_counting()
    for minute in (0, 3):
        scenario.dispatch(minute)
        scenario.work()


def _overlapping(scenario: Scenario, overlap: Overlap, outcome: Outcome = SUCCEEDED, **fields: Any) -> None:
    scenario.save(schedule=_TWO_RUNS, overlap=overlap, timeout=timedelta(minutes=14), **fields)
    scenario.start_counting(slow=True)
    scenario.dispatch()

    def second() -> None:
        scenario.dispatch(3)
        scenario.work(may_keep=True)

    scenario.during_call(second, outcome)
