"""In-memory implementations of all stores and queues, over one `MemoryState`; for tests, simulations and experiments."""

from minutehand.adapters.memory.backfills import MemoryBackfills
from minutehand.adapters.memory.calendars import MemoryCalendars
from minutehand.adapters.memory.definitions import MemoryDefinitions
from minutehand.adapters.memory.metering import MemoryMeter
from minutehand.adapters.memory.namespaces import MemoryNamespaces
from minutehand.adapters.memory.outputs import MemoryOutputs
from minutehand.adapters.memory.permits import MemoryPermits
from minutehand.adapters.memory.queues import MemoryInbox, MemoryOutbox
from minutehand.adapters.memory.runs import MemoryRuns
from minutehand.adapters.memory.shards import MemoryShards
from minutehand.adapters.memory.state import MemoryState
from minutehand.adapters.memory.timers import MemoryTimers
from minutehand.adapters.memory.tokens import MemoryTokens

__all__ = [
    "MemoryBackfills",
    "MemoryCalendars",
    "MemoryDefinitions",
    "MemoryInbox",
    "MemoryMeter",
    "MemoryNamespaces",
    "MemoryOutbox",
    "MemoryOutputs",
    "MemoryPermits",
    "MemoryRuns",
    "MemoryShards",
    "MemoryState",
    "MemoryTimers",
    "MemoryTokens",
]
