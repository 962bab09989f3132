"""A service that takes work on, answers at once, and reports when it is done: `python service.py [--port 4610]`.

POST /copy with {"files": 5, "seconds": 2} "copies" five files of two seconds each.
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
"""What the job sends in a header. Without it, anyone could have us report to an address of their own."""


class Handler(BaseHTTPRequestHandler):
    """Accepts work from callers that know the secret."""

    def do_POST(self) -> None:
        """Answer 202, and go on in a thread; a real service would rather put URL and token into a queue of its own."""
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
        """One line, as text."""
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.end_headers()
        self.wfile.write(f"{text}\n".encode())


def copy(answer: LateAnswer, work: dict[str, float]) -> None:
    """The work itself. An exception that leaves the block is reported as a failure."""
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
    """Serve until the process ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=4610)
    server = ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Handler)
    print(f"listening at http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
