"""The acts that approvals allow. Higher layers implement them."""

from collections.abc import Awaitable

from gaji.approvals.models import Approval
from gaji.core.providers import Provider
from gaji.db.tenancy import Transaction

perform_act: Provider[[Transaction, Approval], Awaitable[None]] = Provider("perform_act")
"""Does what was approved, as the caller. Raises OutdatedRequest if the state has changed since the request."""
