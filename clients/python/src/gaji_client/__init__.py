"""Typed client of the Gaji payroll API, for synchronous and asynchronous programs."""

from gaji_client.changes import Changes
from gaji_client.client import AsyncGaji, Gaji
from gaji_client.errors import (
    ApiError,
    AuthenticationError,
    ConflictError,
    NotFoundError,
    PermissionDeniedError,
    PreconditionFailedError,
    RateLimitError,
    ServerError,
    ValidationError,
)
from gaji_client.webhooks import InvalidWebhook, verify_webhook

__all__ = [
    "ApiError",
    "AsyncGaji",
    "AuthenticationError",
    "Changes",
    "ConflictError",
    "Gaji",
    "InvalidWebhook",
    "NotFoundError",
    "PermissionDeniedError",
    "PreconditionFailedError",
    "RateLimitError",
    "ServerError",
    "ValidationError",
    "verify_webhook",
]
