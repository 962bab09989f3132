"""LocalStack's runtime without Docker: functions are child processes, and DynamoDB Local comes from npm.

Started as a script by LocalStack's own Python. The folders on its path must not contain this project's package `localstack`.
"""

from types import SimpleNamespace

from executor import ProcessExecutor
from localstack.runtime.main import main
from localstack.services.dynamodb.server import DynamodbServer
from localstack.services.lambda_.invocation import runtime_executor


def command_without_agent(server: DynamodbServer) -> list[str]:
    """The command that starts DynamoDB Local. LocalStack's agent, which raises a limit of indexes, would be a download."""
    return [part for part in command(server) if not part.startswith("-javaagent")]


if __name__ == "__main__":
    plugin = SimpleNamespace(load=lambda: ProcessExecutor)
    runtime_executor.EXECUTOR_PLUGIN_MANAGER = SimpleNamespace(exists=lambda name: True, load=lambda name: plugin)
    command = DynamodbServer._create_shell_command
    DynamodbServer._create_shell_command = command_without_agent
    main()
