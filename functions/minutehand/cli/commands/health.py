"""The command `health`."""

from minutehand.cli.command import command
from minutehand.cli.screen.render import Screen
from minutehand.cli.session import Session


@command("health")
def health_command(session: Session, screen: Screen) -> None:
    """Check that the API answers. Needs no token."""
    with session.connect_without_token() as client:
        health = client.health()
        if screen.as_json:
            screen.data(health)
        else:
            screen.line(health["status"], f"version {health.get('version', '?')}", client.url)
