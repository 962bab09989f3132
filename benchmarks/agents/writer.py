"""Writes output at a steady rate, and says how long the writes took: a command of the question `agents`.

`python writer.py MEBIBYTES_PER_SECOND SECONDS`; the last line is JSON: seconds in write(2) in all, and of the longest one.
"""

import json
import os
import sys
import time

CHUNK = 65_536

rate, seconds = float(sys.argv[1]), float(sys.argv[2])
pause = CHUNK / (rate * 1024 * 1024)
line = b"x" * (CHUNK - 1) + b"\n"
blocked, longest = 0.0, 0.0
begun = time.perf_counter()
for number in range(int(seconds / pause)):
    time.sleep(max(0.0, begun + number * pause - time.perf_counter()))
    left = line
    began = time.perf_counter()
    while left:
        left = left[os.write(1, left) :]
    took = time.perf_counter() - began
    blocked += took
    longest = max(longest, took)
lasted = time.perf_counter() - begun
print(json.dumps({"blocked": blocked, "longest": longest, "lasted": lasted}), file=sys.stderr)
