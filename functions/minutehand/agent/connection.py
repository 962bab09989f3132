"""Whether the API answers: nothing new starts while it does not."""

from minutehand.agent.events import Journal
from minutehand.agent.workload import Workload
from minutehand.client.errors import MinutehandError


class Connection:
    """Notes each answer and each failure, and tells of changes. Thread-safe."""

    def __init__(self, workload: Workload, journal: Journal) -> None:
        self._workload = workload
        self._journal = journal

    def answered(self) -> None:
        """Note that the API has answered."""
        if self._workload.connect(connected=True):
            self._journal.info("connected", "the API answers again")

    def failed(self, error: MinutehandError) -> None:
        """Note that a request got no answer that is of use."""
        if self._workload.connect(connected=False):
            self._journal.warning("cut_off", f"nothing new starts: {error}")
