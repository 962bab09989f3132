"""The judge of histories with agents: besides what holds for all runs, where commands run, how soon, and what becomes of silence."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise

from minutehand.domain.node import LIVE_FOR, Asked, NodeKey
from minutehand.domain.outcome import ErrorType
from minutehand.domain.policies import Overlap
from minutehand.domain.run import RunState
from minutehand.targets.command.fields import CommandTarget
from tests.simulation import (
    attempts,
    audited,
    chains,
    checker,
    crowds,
    life,
    listing,
    missed,
    missed_starts,
    named_limits,
    occurrences,
    order,
    promptness,
    quotas,
    shadows,
    starts,
)
from tests.simulation.agents import LONGEST_AWAY, Pools
from tests.simulation.engine import START
from tests.simulation.explained import unexplained
from tests.simulation.queue import MOST_HELD
from tests.simulation.rules import Rule
from tests.simulation.scenario import CHAOS

CALM = START + CHAOS + LONGEST_AWAY + timedelta(minutes=4)
"""From then on every agent is there, and nothing fails. Names that were held by others are free."""
END = START + CHAOS + Pools.calm
"""When jobs are paused."""
FAULTLESS = START + CHAOS + timedelta(minutes=2)
"""From then on no message that was sent meanwhile is late, and no call fails."""
FORGOTTEN = LIVE_FOR + timedelta(seconds=5)
"""How long after it was there last an agent counts as live."""
IN_TIME = timedelta(seconds=5)
LOOKS_AGAIN = timedelta(seconds=20)
"""Within this time a run that found nobody looks again, and its message arrives."""
COMES_BACK = timedelta(minutes=2)
"""When a message comes back that an agent received, and did not delete."""
ANSWERS = timedelta(seconds=31)
"""How long a request may take that began before another process took the name."""


def violations(pools: Pools) -> list[str]:
    """Every broken promise of a finished history. How often each rule was applied is counted in `History.judged`."""
    pools.history.judged.clear()
    return [
        *attempts.violations(pools),
        *checker.calls_are_legal(pools),
        *checker.triggers_are_once(pools),
        *checker.everything_rests(pools),
        *life.violations(pools),
        *order.violations(pools),
        *starts.early(pools),
        *starts.jitter(pools),
        *missed.violations(pools),
        *(problem for problem in missed_starts.violations(pools) if not problem.endswith("a worker had taken it up")),
        *chains.violations(pools),
        *crowds.violations(pools, life.ends_of),
        *named_limits.violations(pools, life.ends_of),
        *quotas.violations(pools, life.ends_of),
        *shadows.violations(pools),
        *listing.violations(pools),
        *audited.violations(pools),
        *(problem for job in pools.jobs for problem in occurrences.violations(pools, job, END - timedelta(minutes=1))),
        *unexplained(pools),
        *_of_agents(pools),
    ]


def _of_agents(pools: Pools) -> Iterator[str]:
    yield from pools.defects
    yield from _end_if_unwanted(pools)
    yield from pools.robbed
    yield from _are_not_sent_away(pools)
    yield from _are_skipped_in_time(pools)
    yield from _queues_rest(pools)
    yield from _run_where_their_jobs_say(pools)
    yield from _have_their_names_alone(pools)
    yield from _begin_soon(pools)
    yield from _do_not_fall_silent(pools)


def _end_if_unwanted(pools: Pools) -> Iterator[str]:
    cancelled = [ran for ran in pools.commands if pools.state.runs[ran.run].state is RunState.CANCELLED]
    pools.history.judged[Rule.UNWANTED] += len(cancelled)
    yield from pools.unheard


def _queues_rest(pools: Pools) -> Iterator[str]:
    for served, queue in pools.pool_queues.queues.items():
        if queue.held:
            yield f"{len(queue.held)} messages are left in the queue of {served}"
        if queue.overflowed:
            yield f"messages multiply: the queue of {served} held {MOST_HELD}"


def _run_where_their_jobs_say(pools: Pools) -> Iterator[str]:
    for ran in pools.commands:
        pools.history.judged[Rule.AT_ITS_NODE] += 1
        known = pools.history.in_sight(ran.run.job, ran.began - attempts.READ_BEFORE, ran.began)
        targets = [c.given.target for c in known if isinstance(c.given.target, CommandTarget)]
        if not any(t.pool == ran.node.pool.name and t.node in (None, ran.node.name) for t in targets):
            yield f"{ran.run.job} {ran.run.run_id} #{ran.attempt} ran at {ran.node}, and its job wants {targets}"


def _have_their_names_alone(pools: Pools) -> Iterator[str]:
    """A process gets no order once another has its name."""
    for ran in pools.commands:
        pools.history.judged[Rule.OF_ONE_NAME] += 1
        held = [(at, session) for at, session in pools.registrations[ran.node] if at < ran.began - ANSWERS]
        if (
            held
            and held[-1][1] != ran.session
            and not any(
                session == ran.session for at, session in pools.registrations[ran.node] if at >= ran.began - ANSWERS
            )
        ):
            yield f"{ran.run.job} {ran.run.run_id} #{ran.attempt} ran at {ran.node} by {ran.session}, after {held[-1]}"


def _begin_soon(pools: Pools) -> Iterator[str]:
    """A run that nothing limits does not wait while an agent that may run it has room."""
    if pools.crowds.limits_all:
        return
    free = {
        job
        for job in pools.jobs
        if pools.overlaps[job] is Overlap.ALLOW and not pools.delayed[job]
        if pools.crowds.most[job] is None and not pools.named_limits[job]
    }
    for run in pools.state.runs.values():
        if run.key.job not in free or run.claimed_at > END:
            continue
        begins = max(run.starts_at, run.claimed_at, CALM if run.starts_at < CALM - COMES_BACK else START)
        ends = promptness.waited_until(pools, run.key) or pools.engine.now
        if run.starts_at < START + CHAOS + timedelta(minutes=1):
            continue
        target = pools.state.definitions[run.key.job].job.target
        if not isinstance(target, CommandTarget):
            continue
        for node in pools.nodes:
            if node.pool.name == target.pool and target.node in (None, node.name):
                pools.history.judged[Rule.ROOM] += 1
                if at := _had_room(pools, node, begins, ends):
                    yield f"{run.key.job} {run.key.run_id}: waited until {ends} although {node} had room since {at}"


def _had_room(pools: Pools, node: NodeKey, begins: datetime, ends: datetime) -> datetime | None:
    """Since when a node had room for so long that a run which waits meanwhile should have begun."""
    for process in pools.processes[node]:
        rooms = pools.rooms.get(process, [])
        since: datetime | None = None
        for (at, room), (until, _) in pairwise([*rooms, (pools.engine.now, 0)]):
            since = None if not room else since or at
            if since is not None and min(until, ends) - max(since, begins) > LOOKS_AGAIN:
                return max(since, begins)
    return None


def _do_not_fall_silent(pools: Pools) -> Iterator[str]:
    """While nothing fails, no attempt ends because its agent was not heard from."""
    for move in pools.history.moves:
        before, after = move.before, move.after
        if (
            before is None
            or before.state is not RunState.WAITING
            or before.started_at is None
            or before.started_at < CALM
        ):
            continue
        known = pools.history.in_sight(after.key.job, before.started_at - attempts.READ_BEFORE, before.started_at)
        of_agents = all(isinstance(each.given.target, CommandTarget) for each in known)  # an edit may change its type
        if of_agents and after.error and after.error.type == ErrorType.HEARTBEAT_MISSED:
            yield f"{after.key.job} {after.key.run_id} #{after.attempt}: its agent fell silent at {move.at}"


def _are_not_sent_away(pools: Pools) -> Iterator[str]:
    """A process may go on under its name until another one registers."""
    for node, processes in pools.processes.items():
        for process in processes:
            away = process.sent_away
            sessions = [session for at, session in pools.registrations[node] if session and away and at < away]
            if sessions[-1:] == [process.session]:
                yield f"{node}: {process.session} may not go on, although nobody else has its name"


def _are_skipped_in_time(pools: Pools) -> Iterator[str]:
    """Where no agent takes work, a run is skipped as soon as its job's `start_within` is over."""
    for run in pools.state.runs.values():
        limit = pools.start_within.get(run.key.job)
        if (
            limit is None
            or run.key.backfill is not None
            or run.target != CommandTarget.type
            or run.claimed_at > run.starts_at
            or run.claimed_at < START + CHAOS  # a message that was sent then may be late, however long it was delayed
        ):
            continue
        last, ends = run.starts_at + limit, promptness.waited_until(pools, run.key)
        if run.starts_at > FAULTLESS and last < END and ends is not None and ends > last + IN_TIME:
            wanted = {c.given.target for c in pools.history.of(run.key.job) if c.at < ends}
            nodes = [
                n
                for n in pools.nodes
                for t in wanted
                if isinstance(t, CommandTarget) and t.pool == n.pool.name and t.node in (None, n.name)
            ]
            if not any(_took_work(pools, node, run.starts_at - FORGOTTEN, ends) for node in nodes):
                yield f"{run.key.job} {run.key.run_id}: waited until {ends}, could not begin after {last}, and nobody was there"


def _took_work(pools: Pools, node: NodeKey, begins: datetime, ends: datetime) -> bool:
    """Whether a node may have counted as one that takes work at any time of a span."""
    asked = [(START, Asked.RUN), *pools.asks[node], (pools.engine.now, Asked.RUN)]
    paused = any(a is not Asked.RUN and at <= begins and until >= ends for (at, a), (until, _) in pairwise(asked))
    return not paused and any(begins <= at <= ends for at in pools.node_store.heard[node])
