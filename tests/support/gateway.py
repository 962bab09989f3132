"""Events of API Gateway."""

from __future__ import annotations

from typing import Any

from tests.support.http_server import Request


def proxy_event(request: Request, path: str) -> dict[str, Any]:
    """The request as an event of API Gateway's REST proxy. Nothing vouches for its token, so the application looks it up."""
    context = {"requestId": "req-1", "stage": "stage", "path": request.path, "httpMethod": request.method}
    return {
        "version": "1.0",
        "resource": path,
        "path": path,
        "httpMethod": request.method,
        "headers": request.headers,
        "multiValueHeaders": {name: [value] for name, value in request.headers.items()},
        "queryStringParameters": request.query or None,
        "multiValueQueryStringParameters": request.queries or None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": context,
        "body": request.raw,
        "isBase64Encoded": False,
    }
