"""The API's endpoints about nodes for people: what serves the pools, and what operators ask of it."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.node import Node, NodeKey, PoolKey
from minutehand.entrypoints.api.call import Call, answered, page
from minutehand.entrypoints.api.documents.nodes import AskRequest, NodeDocument
from minutehand.entrypoints.api.forms.invalid import read_valid
from minutehand.entrypoints.api.forms.request import json_object, limit_of
from minutehand.entrypoints.api.problems import invalid_as_bad_request
from minutehand.usecases.agents import registering


def list_nodes(call: Call) -> Response[str]:
    """List the nodes of a namespace, by pool and name. A node disappears a day after its agent was seen last."""
    limit = limit_of(call.query, 50)
    with invalid_as_bad_request():
        found = call.nodes.page(call.namespace, limit, call.query.get("cursor"))
    return page([node_document(each, call) for each in found.items], found.next)


def get_node(call: Call) -> Response[str]:
    """Get a node of a pool."""
    return answered(200, node_document(registering.known(call.nodes, node_of(call)), call))


def ask_node(call: Call) -> Response[str]:
    """Ask a node to take work, to pause or to drain. Its agent learns of that within a minute."""
    asked = read_valid(json_object(call.event), AskRequest).asked
    node = registering.ask(call.nodes, node_of(call), asked, call.ports, who=call.actor)
    call.log("ask_node", what="node", named=str(node.key), asked=asked.value)
    return answered(200, node_document(node, call))


def node_of(call: Call) -> NodeKey:
    """The node that the path names."""
    return NodeKey(PoolKey(call.namespace, call.path["pool"]), call.path["node"])


def node_document(node: Node, call: Call) -> NodeDocument:
    """The document of a node."""
    machine = node.machine
    return NodeDocument(
        pool=node.key.pool.name,
        node=node.key.name,
        host=machine.host,
        version=machine.version,
        tags=machine.tags,
        slots=machine.slots,
        running=node.running,
        registered_at=node.registered_at,
        seen_at=node.seen_at,
        live=node.is_live(call.ports.clock()),
        asked=node.asked,
    )
