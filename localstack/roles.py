"""The one place where the emulator's idea of permissions has to be bridged.

MiniStack enforces the roles of the template, which is why a missing permission shows up here and not first on AWS. But for
batch calls it asks for an action with the call's own name, where AWS asks for the action of each part (``PartiQLInsert``,
``SendMessage`` …). Those names do not belong into the template, so they are granted beside it.
"""

import json
from collections.abc import Iterable

from localstack.clients import Clients

POLICY = "emulator-batch-names"
ACTIONS = ["dynamodb:BatchExecuteStatement", "sqs:ChangeMessageVisibilityBatch", "sqs:SendMessageBatch"]


def allow_batch_names(clients: Clients, functions: Iterable[str]) -> None:
    """Let the roles of these functions make batch calls; done again after each deployment, which may write roles anew."""
    document = json.dumps(
        {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": ACTIONS, "Resource": "*"}]}
    )
    for function in functions:
        role = clients.functions.get_function_configuration(FunctionName=function)["Role"]
        clients.iam.put_role_policy(RoleName=role.rpartition("/")[2], PolicyName=POLICY, PolicyDocument=document)
