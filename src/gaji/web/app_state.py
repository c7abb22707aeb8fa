"""The objects that all requests of a process share."""

from dataclasses import dataclass

from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.web.authentication import Authenticator
from gaji.web.rate_limit import RateLimiter


@dataclass(frozen=True)
class AppState:
    """The objects that all requests of a process share."""

    pool: Pool
    vault: Vault
    authenticator: Authenticator
    limiter: RateLimiter
