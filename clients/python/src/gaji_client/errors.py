"""Errors of the API: one class for each kind of response, with the problem document."""

from collections.abc import Mapping, Sequence
from typing import Any

import httpx


class ApiError(Exception):
    """A response with status 400 or above."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.problem = problem
        self.message: str = problem.get("message") or f"HTTP status {status}"
        self.errors: Mapping[str, str] = problem.get("errors") or {}
        """The message for each attribute that is not valid."""
        self.error_details: Sequence[Mapping[str, Any]] = problem.get("error_details") or ()
        """The same errors with stable codes and parameters."""
        self.request_id: str | None = problem.get("request_id")
        super().__init__(f"{self.message}: {dict(self.errors)}" if self.errors else self.message)

    @property
    def kind(self) -> str:
        """The kind of problem: the last segment of its type."""
        return str(self.problem.get("type", "")).rpartition("/")[2]


class AuthenticationError(ApiError):
    """401: the key is missing, unknown, revoked or expired."""


class PermissionDeniedError(ApiError):
    """403: the key is read-only, or the user's role does not permit the request."""


class NotFoundError(ApiError):
    """404: the record does not exist, or this key cannot see it."""


class ConflictError(ApiError):
    """409: the state of a record forbids the request."""


class PreconditionFailedError(ApiError):
    """412: the record has changed since it was read."""


class ValidationError(ApiError):
    """422: attributes or parameters are not valid. `errors` has all of them."""


class RateLimitError(ApiError):
    """429: a limit was reached, and still after the last retry."""


class ServerError(ApiError):
    """500 and above: the request could not be served."""


BY_STATUS: Mapping[int, type[ApiError]] = {
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    412: PreconditionFailedError,
    422: ValidationError,
    429: RateLimitError,
}
MIN_ERROR_STATUS, MIN_SERVER_STATUS = 400, 500


def raise_for_status(response: httpx.Response) -> None:
    """Raise the error of a response that is one."""
    status = response.status_code
    if status >= MIN_ERROR_STATUS:
        default = ServerError if status >= MIN_SERVER_STATUS else ApiError
        raise BY_STATUS.get(status, default)(status, problem_of(response))


def problem_of(response: httpx.Response) -> Mapping[str, Any]:
    """Return the problem document of a response. Proxies may respond with something else."""
    try:
        problem = response.json()
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}
