"""Confirmation of writes: a token stands for one write that was described, once and for ten minutes."""

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

LIFETIME_S = 600
MAX_TOKENS = 100
"""How many unused tokens are kept. The oldest ones become invalid."""
UNKNOWN_TOKEN = (
    "This confirmation token does not exist, was used or has expired. Nothing has changed. "  # noqa: S105 - a sentence
    "Call the tool without a token to get a new one."
)
DIFFERENT_WRITE = (
    "What would happen now differs from what this confirmation token stands for. Nothing has changed. "
    "Call the tool without a token to see it and to get a new token."
)


@dataclass(frozen=True)
class PlannedWrite:
    """A request that changes something, and what it would do."""

    path: str
    body: Mapping[str, Any]
    effect: str


@dataclass(frozen=True)
class IssuedToken:
    """What a token stands for, and until when."""

    write: PlannedWrite
    expires_at_s: float


class Confirmations:
    """The tokens that were issued and not used. They are in memory only."""

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._clock_s = clock_s
        self._issued: dict[str, IssuedToken] = {}

    def issue(self, write: PlannedWrite) -> str:
        """Return a new token for a write."""
        token = secrets.token_urlsafe(16)
        self._issued[token] = IssuedToken(write, self._clock_s() + LIFETIME_S)
        while len(self._issued) > MAX_TOKENS:
            del self._issued[next(iter(self._issued))]
        return token

    def redeem(self, token: str, write: PlannedWrite) -> None:
        """Use a token. Raises ToolError if it is not valid, or if it was issued for another write or another effect."""
        issued = self._issued.pop(token, None)
        if issued is None or issued.expires_at_s <= self._clock_s():
            raise ToolError(UNKNOWN_TOKEN)
        if issued.write != write:
            raise ToolError(DIFFERENT_WRITE)
