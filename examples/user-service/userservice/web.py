"""The service's web server: `python -m userservice.web [--port 4612]`.

POST /log-in with {"email": "ada@example.com"} is for users; POST /minutehand for Minutehand.
"""

import argparse
import json
import logging
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from minutehand.handlers import answer
from userservice import users
from userservice.database import pool
from userservice.jobs import app

SECRET = os.environ.get("MINUTEHAND_SECRET", "only-for-trying-it-out")
"""What Minutehand's calls must hold in their header Authorization. Without it, anyone could run the jobs."""


class Handler(BaseHTTPRequestHandler):
    """The routes of the service."""

    def do_POST(self) -> None:
        """Serve one request."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/minutehand":
            made = answer(app, self.headers, body, secret=SECRET)
            self.reply(made.status, made.body)
        elif self.path == "/log-in":
            self.log_in(body)
        else:
            self.reply(404)

    def log_in(self, body: bytes) -> None:
        """Note a user's log-in. A real service would check a password first."""
        try:
            email = str(json.loads(body)["email"])
        except (ValueError, KeyError, TypeError):
            self.reply(400, b'{"error": "write {\\"email\\": \\"ada@example.com\\"}"}')
            return
        with pool().connection() as connection:
            known = users.log_in(connection, email)
        self.reply(204 if known else 403)

    def reply(self, status: int, body: bytes = b"") -> None:
        """Send an answer."""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    """Serve requests until the process ends."""
    logging.basicConfig(level=logging.INFO)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=4612)
    server = ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Handler)
    print(f"listening at http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
