"""The stylesheet and the scripts of the console."""

from gaji.console.pages import Pages
from gaji.console.rendering import STATIC, STATIC_TYPES
from gaji.console.request import Visit
from gaji.core.errors import NotFound
from gaji.web.gateway import Response, response

pages = Pages()

KEPT_BY_BROWSERS = (("Cache-Control", "public, max-age=31536000, immutable"), ("X-Content-Type-Options", "nosniff"))


@pages.get("/console/{name}", for_whoever=True)
async def static_file(visit: Visit) -> Response:
    """One of them; their addresses change with their contents."""
    name = visit.names["name"]
    if name not in STATIC:
        raise NotFound(f"There is nothing at {visit.path[:200]}")
    return response(200, STATIC[name], STATIC_TYPES[name.rpartition(".")[2]], KEPT_BY_BROWSERS)
