"""A service that answers a call at once and reports when its work is done: `python service.py [--port 4610]`.

POST /copy with {"files": 5, "seconds": 2} pretends to copy five files for two seconds each.
"""

import argparse
import hmac
import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from minutehand.client import LateAnswer, MinutehandError

SECRET = os.environ.get("COPIES_SECRET", "only-for-trying-it-out")
"""Secret that the job sends in a header. Without it, anyone could make the service report to their own URL."""


class Handler(BaseHTTPRequestHandler):
    """Accepts work from callers that know the secret."""

    def do_POST(self) -> None:
        """Answer 202 and work in a thread. A real service would rather store callback URL and token in a queue."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not hmac.compare_digest(self.headers.get("X-Copies-Secret", ""), SECRET):
            self.reply(403, "this service does not know you")
            return
        try:
            work = {"files": 5, "seconds": 2.0} | (json.loads(body or b"{}") or {})
            answer = LateAnswer.from_headers(self.headers)
        except (ValueError, MinutehandError) as error:
            self.reply(400, str(error))
            return
        threading.Thread(target=copy, args=(answer, work), daemon=True).start()
        self.reply(202, f"copying {work['files']} files")

    def reply(self, status: int, text: str) -> None:
        """Send an answer of one line of text."""
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.end_headers()
        self.wfile.write(f"{text}\n".encode())


def copy(answer: LateAnswer, work: dict[str, float]) -> None:
    """Pretend to copy files. An exception that leaves the `with` block is reported as a failure."""
    files = int(work["files"])
    with answer:
        for number in range(1, files + 1):
            time.sleep(work["seconds"])
            if answer.unwanted:
                print(f"{answer.run_id}: stopped after {number - 1} files", flush=True)
                return
            answer.progress(100 * number // files, f"{number} of {files} files")
        answer.succeeded({"files": files})
    print(f"{answer.run_id}: copied {files} files", flush=True)


def main() -> None:
    """Serve requests until the process ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=4610)
    server = ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Handler)
    print(f"listening at http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
