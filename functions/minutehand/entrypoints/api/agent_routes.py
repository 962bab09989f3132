"""Routes of agents, a part of the table of routes: the function `agents` serves them, and only tokens with the role `agent` may use them."""

from __future__ import annotations

from minutehand.domain.token import Role
from minutehand.entrypoints.api.documents.nodes import (
    BeatDocument,
    BeatRequest,
    CredentialsDocument,
    CredentialsRequest,
    NodeRequest,
    RecordedReportsDocument,
    RegisteredNodeDocument,
    ReportsRequest,
    StartsDocument,
    StartsRequest,
)
from minutehand.entrypoints.api.documents.uploads import UploadsDocument, UploadsRequest
from minutehand.entrypoints.api.endpoints import agents, uploads
from minutehand.entrypoints.api.route import Route

NODE = "/v1/namespaces/{namespace}/pools/{pool}/nodes/{node}"
"""The path of a node."""

AGENT_ROUTES = (
    Route("PUT", NODE, Role.AGENT, agents.put_node, RegisteredNodeDocument, takes=NodeRequest, function="Agents"),
    Route("DELETE", NODE, Role.AGENT, agents.delete_node, query=("session",), statuses=(204,), function="Agents"),
    Route(
        "POST",
        f"{NODE}/credentials",
        Role.AGENT,
        agents.post_credentials,
        CredentialsDocument,
        takes=CredentialsRequest,
        function="Agents",
    ),
    Route(
        "POST", f"{NODE}/starts", Role.AGENT, agents.post_starts, StartsDocument, takes=StartsRequest, function="Agents"
    ),
    Route("POST", f"{NODE}/beats", Role.AGENT, agents.post_beats, BeatDocument, takes=BeatRequest, function="Agents"),
    Route(
        "POST",
        f"{NODE}/reports",
        Role.AGENT,
        agents.post_reports,
        RecordedReportsDocument,
        takes=ReportsRequest,
        function="Agents",
    ),
    Route(
        "POST",
        f"{NODE}/uploads",
        Role.AGENT,
        uploads.post_uploads,
        UploadsDocument,
        takes=UploadsRequest,
        function="Agents",
    ),
)
"""The routes, in the order of the reference."""
