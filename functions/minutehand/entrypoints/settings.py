"""Settings: the environment, read once where a function is put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """What the template tells a function; each one is told only what it needs.

    Attributes:
        output_bucket: where outputs are that are too long for a table.
        due_shards: over how many partitions of the due index jobs are spread. Timers follow a change (`usecases/upkeep/reshard.py`).
        tick_share: how much one tick reads at most before it looks whether it is to be shared, in timers.
        tick_fan_out: among how many invocations a tick's shards are shared at most, where there is more than that; 1 for never. Of the
            concurrency reserved for the tick, where some is, one is left for the next tick.
        look_ahead: how far ahead of an occurrence its message is sent; at most 15 minutes.
        allow_loopback: whether HTTP targets may be on the machine itself; for local stacks only.
        allowed_targets: the allow-list of HTTP targets, as text (`AllowList.parse`); empty for all that is not forbidden.
        api_url: where targets that answer later reach the API, without a slash at its end; empty when they cannot.
        run_retention: how long the runs of a job are kept that says nothing of it.
    """

    jobs_table: str
    runs_table: str = ""
    http_queue_url: str = ""
    output_bucket: str = ""
    due_shards: int = 8
    tick_share: int = 4_000
    tick_fan_out: int = 8
    look_ahead: timedelta = timedelta(seconds=120)
    allow_loopback: bool = False
    allowed_targets: str = ""
    api_url: str = ""
    run_retention: timedelta = timedelta(days=30)
    admin_token_secret: str = ""

    def page_size(self, read: int) -> int:
        """Timers of a shard that a tick reads in one call, which reads so many shards: more than there are, where timers have still to follow
        a lower number of them. Of each it holds two pages."""
        return max(1, self.tick_share // max(read, self.due_shards))

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Settings:
        """Settings from environment variables.

        Raises:
            KeyError: when JOBS_TABLE is missing.
            ValueError: when a number is not one, or the look-ahead is longer than a message can be delayed.
        """
        look_ahead = timedelta(seconds=int(environment.get("LOOK_AHEAD_SECONDS", "120")))
        if not timedelta(0) < look_ahead <= timedelta(minutes=15):
            raise ValueError(f"LOOK_AHEAD_SECONDS is {look_ahead.total_seconds():.0f}; give 1 to 900")
        return cls(
            jobs_table=environment["JOBS_TABLE"],
            runs_table=environment.get("RUNS_TABLE", ""),
            http_queue_url=environment.get("HTTP_QUEUE_URL", ""),
            output_bucket=environment.get("OUTPUT_BUCKET", ""),
            due_shards=int(environment.get("DUE_SHARDS", "8")),
            tick_share=int(environment.get("TICK_SHARE", "4000")),
            tick_fan_out=_fan_out(environment),
            look_ahead=look_ahead,
            allow_loopback=environment.get("ALLOW_LOOPBACK", "false").lower() == "true",
            allowed_targets=environment.get("ALLOWED_TARGETS", ""),
            # The address may hold the API's id, which is not known before the stack is deployed.
            api_url=environment.get("API_URL", "").replace("{api}", environment.get("API_ID", "")).rstrip("/"),
            run_retention=timedelta(days=int(environment.get("RUN_RETENTION_DAYS", "30"))),
            admin_token_secret=environment.get("ADMIN_TOKEN_SECRET", ""),
        )


def _fan_out(environment: Mapping[str, str]) -> int:
    wanted = int(environment.get("TICK_FAN_OUT", "8"))
    reserved = int(environment.get("TICK_RESERVED", "0"))
    return min(wanted, max(reserved - 1, 1)) if reserved else wanted
