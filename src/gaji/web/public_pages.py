"""Pages that need no authentication: health checks and the API documentation."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

from gaji.web.asgi import HTTPScope, Receive, Send, request_context
from gaji.web.responses import HttpResponse, error_response
from gaji.web.route_table import RouteTable


@dataclass(frozen=True)
class PublicRequest:
    """A request for a public page."""

    scope: HTTPScope
    names: Mapping[str, str]
    """The parameters in the path."""


@dataclass(frozen=True)
class PublicPage:
    """A page that is read with GET."""

    path: str
    handler: Callable[[PublicRequest], Awaitable[HttpResponse]]
    method: str = "GET"


class PublicPages:
    """An ASGI application that serves public pages."""

    def __init__(self, pages: Iterable[PublicPage]) -> None:
        self._routes = RouteTable(pages, base="")

    async def __call__(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        try:
            route, values = self._routes.find(scope["method"], scope["path"])
            request_context(scope)["route"] = route.operation.path
            _, names = route.parse_values(values)
            response = await route.operation.handler(PublicRequest(scope, names))
        except Exception as error:
            response = error_response(error, scope)
        await response(scope, receive, send)
