"""`shards`."""

from minutehand.cli.command import command
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc
from minutehand.cli.session import Session
from minutehand.client.shards import Shards


@command("shards")
def shards_command(session: Session, screen: Screen) -> None:
    """Show over how many shards timers are spread, and how far they have followed a change of that number.

    The number is the stack's parameter DueShards. Needs the token of an admin of every namespace.
    """
    with session.connect() as client:
        found = client.shards()
    if screen.as_json:
        screen.data(found)
    else:
        screen.fields(
            [("shards", str(found["shards"])), ("read by ticks", str(found["read"])), ("timers", _state(found))]
        )


def _state(found: Shards) -> str:
    first, last = found["shards"], found["read"] - 1
    gone = f"shard {last}" if first == last else f"shards {first} to {last}"
    match found["state"]:
        case "awaited":
            return "stand where they stood; the next tick begins to read all shards, and then they are moved"
        case "moving":
            return f"are being put where they belong; {found['left']} of {found['read']} shards are still to be looked through"
        case "emptying":
            since = f", empty since {in_utc(found['empty_since'])} UTC," if found["empty_since"] else ""
            return f"have been moved; {gone}{since} are read until they have been empty for an hour"
    return "stand where they belong"
