"""In-memory implementations of all stores and queues, over one `MemoryState`; for tests, simulations and experiments."""

from minutehand.adapters.memory.audits import MemoryAudits
from minutehand.adapters.memory.backfills import MemoryBackfills
from minutehand.adapters.memory.buckets import MemoryBuckets
from minutehand.adapters.memory.definitions import MemoryDefinitions
from minutehand.adapters.memory.depths import MemoryQueues
from minutehand.adapters.memory.endpoints import MemoryBalances, MemoryServices
from minutehand.adapters.memory.executions import MemoryExecutions
from minutehand.adapters.memory.nodes import MemoryCredentialIssuer, MemoryNodes, MemoryPoolQueues
from minutehand.adapters.memory.outputs import MemoryOutputs
from minutehand.adapters.memory.queues import MemoryInbox, MemoryOutbox
from minutehand.adapters.memory.run_lists import MemoryRunLists
from minutehand.adapters.memory.runs import MemoryPermits, MemoryRuns
from minutehand.adapters.memory.settings import MemoryCalendars, MemoryNamespaces, MemoryStackAnswers, MemoryTokens
from minutehand.adapters.memory.shards import MemoryShards
from minutehand.adapters.memory.spreads import MemorySpreads
from minutehand.adapters.memory.state import MemoryMeter, MemoryState
from minutehand.adapters.memory.sweeps import MemorySweeps
from minutehand.adapters.memory.timers import MemoryTimers

__all__ = [
    "MemoryAudits",
    "MemoryBackfills",
    "MemoryBalances",
    "MemoryBuckets",
    "MemoryCalendars",
    "MemoryCredentialIssuer",
    "MemoryDefinitions",
    "MemoryExecutions",
    "MemoryInbox",
    "MemoryMeter",
    "MemoryNamespaces",
    "MemoryNodes",
    "MemoryOutbox",
    "MemoryOutputs",
    "MemoryPermits",
    "MemoryPoolQueues",
    "MemoryQueues",
    "MemoryRunLists",
    "MemoryRuns",
    "MemoryServices",
    "MemoryShards",
    "MemorySpreads",
    "MemoryStackAnswers",
    "MemoryState",
    "MemorySweeps",
    "MemoryTimers",
    "MemoryTokens",
]
