"""Node operations of the client."""

from collections.abc import Iterator
from typing import Literal, cast

from minutehand.client.calls import DEFAULT_NAMESPACE, Calls, pages, path_of, segment
from minutehand.client.models import Node


class NodeCalls(Calls):
    """The part of `Client` with the operations on nodes, which run the commands of jobs. A pool is named `namespace/name`, as a job is."""

    def nodes(self, namespace: str = DEFAULT_NAMESPACE) -> Iterator[Node]:
        """Every node of the namespace's pools, by pool and name; also those whose agents ended less than a day ago."""
        path = f"/v1/namespaces/{segment(namespace)}/nodes"
        for page in pages(lambda limit, cursor: self._page(path, limit, cursor, "pool", "node", "live")):
            yield from cast("list[Node]", page["items"])

    def node(self, pool: str, node: str) -> Node:
        """A node of a pool. Raises NotFound if no agent has registered under its name lately."""
        return self._node("GET", _path(pool, node))

    def ask_node(self, pool: str, node: str, asked: Literal["run", "pause", "drain"]) -> Node:
        """Ask a node to take work, to take none until it is asked to run again, or to take none and end. Its agent learns of that within
        a minute. Raises NotFound as `node` does."""
        return self._node("POST", f"{_path(pool, node)}/ask", {"asked": asked})

    def _node(self, method: str, path: str, body: object = None) -> Node:
        return cast("Node", self._checked(self._http.send(method, path, body=body), "pool", "node", "live", "asked"))


def _path(pool: str, node: str) -> str:
    return f"{path_of('pools', pool)}/nodes/{segment(node)}"
