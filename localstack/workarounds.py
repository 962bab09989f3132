"""Settings that MiniStack needs and AWS does not, applied after each deployment."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from localstack.clients import Clients

POLICY = "emulator-batch-actions"
BATCH_ACTIONS = [
    "dynamodb:BatchExecuteStatement",
    "sqs:ChangeMessageVisibilityBatch",
    "sqs:DeleteMessageBatch",
    "sqs:SendMessageBatch",
]
MAX_WORKERS = 8
"""Concurrent worker invocations of each lane, each with up to ten runs; on AWS ``WorkerMaxConcurrency`` and ``SlowWorkerMaxConcurrency``.

Each is a Python process that needs more than a second of processor time to start; a hundred at once would starve a few cores.
"""


def allow_batch_actions(clients: Clients, functions: Iterable[str]) -> None:
    """Let the roles of these functions (physical names) make batch calls. Needed again after each deployment.

    MiniStack enforces the template's roles, so a missing permission fails here and not first on AWS. But it authorizes a batch call by the
    call's own name, where AWS authorizes each part (``PartiQLInsert``, ``SendMessage``). Those names do not belong in the template.
    """
    document = json.dumps(
        {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": BATCH_ACTIONS, "Resource": "*"}]}
    )
    for function in functions:
        deployed = clients.functions.get_function_configuration(FunctionName=function)
        # The function that serves agents also has the role whose credentials these get.
        given = deployed.get("Environment", {}).get("Variables", {}).get("AGENT_ROLE", deployed["Role"])
        for role in {deployed["Role"], given}:
            clients.iam.put_role_policy(RoleName=role.rpartition("/")[2], PolicyName=POLICY, PolicyDocument=document)


def ignore_null_conditions(clients: Clients, functions: Iterable[str]) -> None:
    """Drop the ``Null`` conditions from the roles of these functions (physical names). Needed again after each deployment.

    They require that a request has a ``dynamodb:LeadingKeys``, which MiniStack never sets: it would refuse each write.
    """
    for function in functions:
        role = clients.functions.get_function_configuration(FunctionName=function)["Role"].rpartition("/")[2]
        for name in clients.iam.list_role_policies(RoleName=role)["PolicyNames"]:
            document: Any = clients.iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
            conditions = [one["Condition"] for one in document["Statement"] if "Null" in one.get("Condition", {})]
            for condition in conditions:
                del condition["Null"]
            if conditions:
                clients.iam.put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=json.dumps(document))


def limit_workers(clients: Clients, outputs: Mapping[str, str]) -> None:
    """Limit concurrent workers of each lane to ``MAX_WORKERS``. The template's parameter cannot: MiniStack
    keeps the number as text, and then polls no queue."""
    workers = [name for output, name in outputs.items() if output.endswith(("WorkerFunction", "AgentsFunction"))]
    sources = [
        source
        for worker in workers
        for source in clients.functions.list_event_source_mappings(FunctionName=worker)["EventSourceMappings"]
    ]
    for source in sources:
        if source.get("ScalingConfig") != {"MaximumConcurrency": MAX_WORKERS}:
            clients.functions.update_event_source_mapping(
                UUID=source["UUID"], ScalingConfig={"MaximumConcurrency": MAX_WORKERS}
            )
