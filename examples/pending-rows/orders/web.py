"""The shop's web server, which runs its job: `python -m orders.web [--port 4613]`."""

import argparse
import logging
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from minutehand.handlers import answer
from orders.jobs import app

SECRET = os.environ.get("MINUTEHAND_SECRET", "only-for-trying-it-out")
"""What Minutehand's calls must hold in their header Authorization. Without it, anyone could run the job."""


class Handler(BaseHTTPRequestHandler):
    """Answers Minutehand's calls."""

    def do_POST(self) -> None:
        """Run the job's handler; see `answer`."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        reply = answer(app, self.headers, body, secret=SECRET)
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)


def main() -> None:
    """Serve requests until the process ends."""
    logging.basicConfig(level=logging.INFO)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=4613)
    server = ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Handler)
    print(f"listening at http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
