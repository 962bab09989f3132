#!/bin/sh
# Deploys Minutehand to the emulator in whose container this runs, and applies the demo jobs. LocalStack and MiniStack run
# what lies in /etc/localstack/init/ready.d once they are ready: one by its first line, the other with sh.
#
#   MINUTEHAND_HOME          the checkout (default /opt/minutehand)
#   MINUTEHAND_FUNCTIONS     what to deploy (default .minutehand/bundle in it, which "python -m localstack bundle" makes)
#   MINUTEHAND_ENDPOINT_URL  the emulator (default http://127.0.0.1:4566)
#   MINUTEHAND_PUBLIC_URL    the emulator as people reach it from outside (default the same)
#   MINUTEHAND_ECHO_URL      the echo service as the functions reach it (default http://echo:4600)
#   MINUTEHAND_PYTHON        an interpreter that has boto3, urllib3 and yaml (default the emulator's own)
set -eu

home=${MINUTEHAND_HOME:-/opt/minutehand}
endpoint=${MINUTEHAND_ENDPOINT_URL:-http://127.0.0.1:4566}

for python in ${MINUTEHAND_PYTHON:-} /opt/code/localstack/.venv/bin/python python3; do
    if "$python" -c 'import boto3, urllib3, yaml' 2>/dev/null; then
        # In the checkout, "localstack" is our package, whatever else has that name in this container.
        cd "$home"
        PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$home:$home/functions" exec "$python" -m localstack deploy \
            --endpoint-url "$endpoint" \
            --public-url "${MINUTEHAND_PUBLIC_URL:-$endpoint}" \
            --echo-url "${MINUTEHAND_ECHO_URL:-http://echo:4600}" \
            --functions "${MINUTEHAND_FUNCTIONS:-$home/.minutehand/bundle}"
    fi
done
echo "error: no Python here has boto3, urllib3 and yaml; name one: MINUTEHAND_PYTHON=…" >&2
exit 1
