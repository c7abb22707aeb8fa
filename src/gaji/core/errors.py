"""What Gaji refuses, and in which words: every refusal is one of these, from the database to the page.

A service raises them; the web layer turns them into problem documents, the command line into a sentence.
The message is for the person who made the request: what is wrong, with which value, and what to do.
"""

from collections.abc import Mapping


class GajiError(Exception):
    """A refusal with its HTTP status, its kind (the last segment of the problem's address) and its message."""

    status = 500
    kind = "internal"
    title = "Something went wrong"

    def __init__(self, message: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.headers = dict(headers or {})


class Malformed(GajiError):
    """The body is not JSON, or not an object."""

    status = 400
    kind = "malformed"
    title = "The request could not be read"


class Unauthenticated(GajiError):
    """No key, or one that is unknown, revoked or expired."""

    status = 401
    kind = "authentication"
    title = "Authentication is needed"

    def __init__(self, message: str) -> None:
        super().__init__(message, headers={"WWW-Authenticate": 'ApiKey realm="gaji"'})


class Forbidden(GajiError):
    """The caller is known, and may not do this."""

    status = 403
    kind = "forbidden"
    title = "Not allowed"


class NotFound(GajiError):
    """There is no such record, or none that the caller may see: the two are not told apart."""

    status = 404
    kind = "not-found"
    title = "Not found"


class MethodNotAllowed(GajiError):
    """The path exists, but not with this method."""

    status = 405
    kind = "method"
    title = "Method not allowed"


class Conflict(GajiError):
    """The state of the record forbids it; where other records are the reason, `errors` says which and why."""

    status = 409
    kind = "conflict"
    title = "Not possible in this state"

    def __init__(
        self, message: str, *, errors: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, headers=headers)
        self.errors = dict(errors or {})


class TooLarge(GajiError):
    """The body is larger than the service takes."""

    status = 413
    kind = "too-large"
    title = "The body is too large"


class UnsupportedMediaType(GajiError):
    """The body is announced as something other than what the operation takes: JSON as a rule."""

    status = 415
    kind = "media-type"
    title = "The body is of another type"


class Invalid(GajiError):
    """Attributes are not valid; `errors` maps the dotted path of each to what is wrong with it."""

    status = 422
    kind = "validation"
    title = "Validation failed"

    def __init__(self, errors: Mapping[str, str], message: str | None = None) -> None:
        count = len(errors)
        noun = "1 attribute is" if count == 1 else f"{count} attributes are"
        super().__init__(message or f"{noun} not valid")
        self.errors = dict(errors)


class TooManyRequests(GajiError):
    """A limit on how often, or how many at once, was reached."""

    status = 429
    kind = "too-many-requests"
    title = "Too many requests"


class Unavailable(GajiError):
    """The database is restarting or out of reach; trying again later helps."""

    status = 503
    kind = "unavailable"
    title = "Temporarily unavailable"

    def __init__(self, message: str, retry_after_s: int = 2) -> None:
        super().__init__(message, headers={"Retry-After": str(retry_after_s)})


PROBLEMS: tuple[type[GajiError], ...] = (
    Malformed,
    Unauthenticated,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    Conflict,
    TooLarge,
    UnsupportedMediaType,
    Invalid,
    TooManyRequests,
    GajiError,
    Unavailable,
)
"""Every kind of refusal, in the order of its status: what the documentation lists."""
