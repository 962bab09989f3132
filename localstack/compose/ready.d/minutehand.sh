#!/bin/sh
# Ready hook: deploys Minutehand to the emulator of this container, and saves the demo jobs. When they are ready, LocalStack and MiniStack
# run the files in /etc/localstack/init/ready.d: one by the first line, the other with sh.
#
#   MINUTEHAND_HOME          the checkout (default /opt/minutehand)
#   MINUTEHAND_FUNCTIONS     the code to deploy (default .minutehand/bundle in it, from "python -m localstack bundle")
#   MINUTEHAND_ENDPOINT_URL  the emulator (default http://127.0.0.1:4566)
#   MINUTEHAND_PUBLIC_URL    the emulator, as seen by people (default the same)
#   MINUTEHAND_CALLBACK_URL  the emulator, as seen by targets that answer later (default the same as people)
#   MINUTEHAND_ECHO_URL      the echo service, as seen by the functions (default http://echo:4600)
#   MINUTEHAND_PYTHON        a Python with boto3, urllib3 and yaml (default the emulator's own)
set -eu

home=${MINUTEHAND_HOME:-/opt/minutehand}
endpoint=${MINUTEHAND_ENDPOINT_URL:-http://127.0.0.1:4566}

for python in ${MINUTEHAND_PYTHON:-} /opt/code/localstack/.venv/bin/python python3; do
    if "$python" -c 'import boto3, urllib3, yaml' 2>/dev/null; then
        # In the checkout, "localstack" is our package, not LocalStack's own.
        cd "$home"
        PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$home:$home/functions" exec "$python" -m localstack deploy \
            --endpoint-url "$endpoint" \
            --public-url "${MINUTEHAND_PUBLIC_URL:-$endpoint}" \
            --callback-url "${MINUTEHAND_CALLBACK_URL:-}" \
            --echo-url "${MINUTEHAND_ECHO_URL:-http://echo:4600}" \
            --functions "${MINUTEHAND_FUNCTIONS:-$home/.minutehand/bundle}"
    fi
done
echo "error: no Python with boto3, urllib3 and yaml found. Name one: MINUTEHAND_PYTHON=…" >&2
exit 1
