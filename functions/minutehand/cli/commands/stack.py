"""The commands `health` and `shards`."""

from minutehand.cli.command import Session, command
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc
from minutehand.client.models import Shards


@command("health", examples=["health"])
def health_command(session: Session, screen: Screen) -> None:
    """Check that the API answers. Needs no token."""
    with session.connect_without_token() as client:
        health = client.health()
        screen.result(health, lambda found: [found["status"], f"version {found.get('version', '?')}", client.url])


@command("shards", examples=["shards"])
def shards_command(session: Session, screen: Screen) -> None:
    """Show the number of timer shards, and the progress of a change of that number.

    The number is the stack's parameter DueShards. Needs an admin token for all namespaces.
    """
    with session.connect() as client:
        found = client.shards()
    screen.record(
        found,
        lambda found: [
            ("shards", str(found["shards"])),
            ("read by ticks", str(found["read"])),
            ("timers", _state(found)),
        ],
    )


def _state(found: Shards) -> str:
    first, last = found["shards"], found["read"] - 1
    gone = f"shard {last}" if first == last else f"shards {first} to {last}"
    match found["state"]:
        case "awaited":
            return "not moved yet; the next tick starts to read all shards, and then the timers are moved"
        case "moving":
            return f"moving to their shards; {found['left']} of {found['read']} shards are left to check"
        case "emptying":
            since = f" (empty since {in_utc(found['empty_since'])} UTC)" if found["empty_since"] else ""
            return f"moved; ticks read {gone}{since} until empty for an hour"
    return "all timers are in their shards"
