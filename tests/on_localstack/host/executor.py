"""Lambda functions as child processes of LocalStack. AWS's own runtime client runs the handler."""

import json
import os
import signal
import subprocess
import threading
from concurrent.futures import TimeoutError as Overdue

from localstack.services.lambda_.invocation.executor_endpoint import StatusErrorException
from localstack.services.lambda_.invocation.lambda_models import FunctionVersion, InvocationResult
from localstack.services.lambda_.invocation.runtime_executor import RuntimeExecutor
from runtime_api import Invocation, RuntimeApi

START_TIMEOUT = 60
INHERITED = ("PATH", "HOME", "LANG", "TMPDIR")


class ProcessExecutor(RuntimeExecutor):
    """One execution environment. A process that was killed or ran out of time is replaced at the next invocation."""

    def __init__(self, id: str, function_version: FunctionVersion) -> None:  # noqa: A002 (LocalStack's name)
        super().__init__(id=id, function_version=function_version)
        self._environment: dict[str, str] = {}
        self._api: RuntimeApi | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: list[str] = []

    def start(self, env_vars: dict[str, str]) -> None:
        """Start the process and wait until it asks for an invocation."""
        self._environment = {name: str(value) for name, value in env_vars.items()}
        self._spawn()

    def stop(self) -> None:
        """End the process and its Runtime API."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        if self._api is not None:
            self._api.close()
            self._api = None

    def invoke(self, payload: dict[str, str]) -> InvocationResult:
        """Run one invocation to its end."""
        if self._process is None or self._process.poll() is not None:
            self.stop()
            self._spawn()
        timeout = self.function_version.config.timeout
        invocation = Invocation(
            request_id=payload["invoke-id"],
            arn=payload["invoked-function-arn"],
            trace_id=payload["trace-id"],
            payload=payload["payload"],
            timeout=timeout,
        )
        self._api.hand_over(invocation)
        try:
            body, failed = invocation.outcome.result(timeout=timeout)
        except Overdue:
            self.stop()
            body, failed = (
                _error("Sandbox.Timedout", f"{invocation.request_id} Task timed out after {timeout}.00 seconds"),
                True,
            )
        marks = [f"{word} RequestId: {invocation.request_id}\n" for word in ("START", "END")]
        return InvocationResult(invocation.request_id, body, is_error=failed, logs=self.get_logs().join(marks))

    def get_logs(self) -> str:
        """What the process has printed since the last call."""
        lines, self._lines = self._lines, []
        return "".join(lines)

    def get_address(self) -> str:
        return "127.0.0.1"

    def get_endpoint_from_executor(self) -> str:
        return "127.0.0.1"

    def get_runtime_endpoint(self) -> str:
        return ""

    @classmethod
    def prepare_version(cls, function_version: FunctionVersion) -> None:
        """Unpack the code."""
        function_version.config.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version: FunctionVersion) -> None:
        """Keep the code: a version that differs only in its configuration uses the same folder."""

    def _spawn(self) -> None:
        config = self.function_version.config
        self.prepare_version(self.function_version)
        code = str(config.code.get_unzipped_code_location())
        api = self._api = RuntimeApi()
        own = {
            "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{api.server_port}",
            "LAMBDA_TASK_ROOT": code,
            "PYTHONPATH": code,
            "PYTHONUNBUFFERED": "1",
            "TZ": "UTC",
        }
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        self._process = subprocess.Popen(
            [os.environ["FUNCTION_PYTHON"], "-m", "awslambdaric", config.handler],
            cwd=code,
            env=inherited | self._environment | own,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        threading.Thread(target=self._read_output, args=(self._process, api), daemon=True).start()
        if error := api.initialized.result(timeout=START_TIMEOUT):
            raise StatusErrorException("the function's start failed", payload=error)

    def _read_output(self, process: subprocess.Popen[bytes], api: RuntimeApi) -> None:
        """Collect what the process prints, and end its invocation if it exits without an answer."""
        for line in process.stdout:
            self._lines.append(line.decode(errors="replace"))
        error = _error("Runtime.ExitError", f"Runtime exited with status {process.wait()}")
        if not api.initialized.done():
            api.initialized.set_result(error)
        api.end_all(error)


def _error(kind: str, message: str) -> bytes:
    return json.dumps({"errorType": kind, "errorMessage": message}).encode()
