"""Requests to a Gaji server. Errors of the API become tool errors with its sentences."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import httpx
from mcp.server.mcpserver.exceptions import ToolError

from gaji import __version__
from gaji.core.settings import SettingsError

URL, KEY = "GAJI_URL", "GAJI_KEY"
DEFAULT_URL = "http://127.0.0.1:8000"
TIMEOUT_S = 60.0
MIN_ERROR_STATUS = 400
NO_RESPONSE = "Gaji did not respond ({error}). If this was a write, check whether it was done before you repeat it."


class ApiRequestError(ToolError):
    """A request failed. The message is for people."""


@dataclass(frozen=True)
class ApiConnection:
    """The address of a Gaji server and an API key."""

    url: str
    key: str

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "ApiConnection":
        """Return the connection that the environment configures. Raises SettingsError."""
        url, key = environment.get(URL) or DEFAULT_URL, environment.get(KEY)
        if not url.startswith(("http://", "https://")):
            raise SettingsError(f"{URL} must start with http:// or https://")
        if not key:
            raise SettingsError(f"{KEY} must be an API key; `gaji key create` makes one")
        return cls(url.rstrip("/"), key)

    def open(self) -> httpx.AsyncClient:
        """Return an HTTP client with the key. The caller closes it."""
        headers = {"Authorization": self.key, "User-Agent": f"gaji-mcp/{__version__}"}
        return httpx.AsyncClient(base_url=f"{self.url}/v1", headers=headers, timeout=TIMEOUT_S)


@dataclass(frozen=True)
class ElementPage:
    """The first elements of a list, and how many it has."""

    elements: list[dict[str, Any]]
    total: int


class ApiClient:
    """Sends requests to the API. Numbers with a fraction are decimals."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def get(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        """Return what a path has. Parameters without a value are left out."""
        return _decode(await self._send("GET", path, params=_parameters(query or {})))

    async def get_page(self, path: str, limit: int, query: Mapping[str, Any] | None = None) -> ElementPage:
        """Return the first elements of a list, without their wrappers."""
        parameters = _parameters({**(query or {}), "per_page": limit})
        response = await self._send("GET", path, params=parameters)
        elements = [next(iter(element.values())) for element in _decode(response)]
        return ElementPage(elements, int(response.headers["X-Total-Count"]))

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Send a body and return the response."""
        return _decode(await self._send("POST", path, json=body))

    async def _send(self, method: str, path: str, **parts: Any) -> httpx.Response:
        try:
            response = await self._http.request(method, path, **parts)
        except httpx.TransportError as error:
            raise ApiRequestError(NO_RESPONSE.format(error=str(error) or type(error).__name__)) from error
        if response.status_code >= MIN_ERROR_STATUS:
            raise ApiRequestError(_error_text(response))
        return response


def _parameters(query: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in query.items()
        if value is not None
    }


def _decode(response: httpx.Response) -> Any:
    return json.loads(response.content, parse_float=Decimal)


def _error_text(response: httpx.Response) -> str:
    """Return the sentences of a problem document. Proxies may respond with something else."""
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if not isinstance(problem, dict) or not problem.get("message"):
        return f"The server responded with status {response.status_code}"
    errors = problem.get("errors") or {}
    return "\n".join([problem["message"], *(f"{path}: {message}" for path, message in errors.items())])
