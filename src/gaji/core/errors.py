"""Errors that a caller can see.

Services raise them. The web layer renders them as problem documents, the command line and the console as text. The
message is for the person who made the request: what is wrong, with which value, and what to do about it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from itertools import islice
from typing import Any, Self

Param = str | int | bool | Decimal | date | None | Iterable["Param"]
"""A parameter of a message: something that JSON can carry."""


@dataclass(frozen=True)
class ErrorCode:
    """A stable code for one kind of validation error, and the message that it renders to.

    The template names the parameters in braces: `"must be at most {max_length} characters"`. Lists are joined by
    commas. The parameter `suggestion`, unless None, adds "did you mean …?" to the message.

    >>> ErrorCode("required", "is required").render({"suggestion": "name"})
    'is required; did you mean name?'
    """

    code: str
    template: str

    def __post_init__(self) -> None:
        known = ERROR_CODES.setdefault(self.code, self)
        if known.template != self.template:
            raise ValueError(f"error code {self.code} is declared twice with different messages")

    def render(self, params: Mapping[str, Any]) -> str:
        """Return the message for these parameters."""
        message = self.template.format_map({name: _text(value) for name, value in params.items()})
        suggestion = params.get("suggestion")
        return message if suggestion is None else f"{message}; did you mean {suggestion}?"


ERROR_CODES: dict[str, ErrorCode] = {}
"""Every declared error code, by its name: what the documentation lists."""


def _text(value: Param) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | Decimal) or value is None:
        return value
    return value.isoformat() if isinstance(value, date) else ", ".join(str(_text(item)) for item in value)


@dataclass(frozen=True)
class FieldError:
    """One validation error: the dotted path of the attribute, the kind of error and its parameters."""

    path: str
    kind: ErrorCode
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """The error as an API caller reads it."""
        return self.kind.render(self.params)

    def details(self) -> list[dict[str, Any]]:
        """Return the elements of `error_details`."""
        params = {name: _json_value(value) for name, value in self.params.items()}
        return [{"path": self.path, "code": self.kind.code, "message": self.kind.render(params), "params": params}]


@dataclass(frozen=True)
class CombinedError(FieldError):
    """Several errors under one path, such as those of one cell. Its code and parameters are those of the first."""

    parts: Sequence[FieldError] = ()
    """The path of a part is the common path, or that of an attribute under it."""

    @classmethod
    def combine(cls, path: str, parts: Sequence[FieldError]) -> FieldError:
        """Return the error of a path: the only part, or a combined error."""
        first = parts[0]
        return first if len(parts) == 1 and first.path == path else cls(path, first.kind, first.params, parts)

    def attribute(self, part: FieldError) -> str:
        """Return the attribute under the common path that a part is about, or an empty string."""
        return part.path.removeprefix(self.path).removeprefix(".")

    @property
    def message(self) -> str:
        """The messages of the parts, each after the name of its attribute."""
        return "; ".join(self._part_message(part) for part in self.parts)

    def details(self) -> list[dict[str, Any]]:
        """Return an element of `error_details` for each part, with its attribute."""
        return [
            {**detail, "path": self.path, **({"attribute": attribute} if attribute else {})}
            for part in self.parts
            for attribute in [self.attribute(part)]
            for detail in part.details()
        ]

    def _part_message(self, part: FieldError) -> str:
        attribute = self.attribute(part)
        return f"{attribute} {part.message}" if attribute else part.message


def _json_value(value: Param) -> Any:
    """Return a parameter that can be encoded. JSON has arrays only."""
    return value if isinstance(value, str | int | Decimal | date) or value is None else list(value)


def _keep_values(params: dict[str, Param]) -> dict[str, Param]:
    """Return parameters without iterators, which could be read only once."""
    return {name: tuple(value) if isinstance(value, Iterator) else value for name, value in params.items()}


class InvalidValue(ValueError):
    """A value that a parser rejects, as an error without its path."""

    def __init__(self, kind: ErrorCode, **params: Param) -> None:
        super().__init__(kind.render(params))
        self.kind = kind
        self.params = params


class Errors(dict[str, FieldError]):
    """Validation errors by the dotted path of the attribute. One attribute has one error."""

    @classmethod
    def single(cls, path: str, kind: ErrorCode, **params: Param) -> Self:
        """Return a collection with one error."""
        return cls({path: FieldError(path, kind, _keep_values(params))})

    def add(self, path: str, kind: ErrorCode, **params: Param) -> None:
        """Record an error, in place of an earlier one for the same attribute."""
        self[path] = FieldError(path, kind, _keep_values(params))

    def add_if_absent(self, path: str, kind: ErrorCode, **params: Param) -> None:
        """Record an error unless the attribute has one already."""
        self.setdefault(path, FieldError(path, kind, _keep_values(params)))

    def under(self, prefix: str) -> Self:
        """Return the same errors with their paths under a prefix such as `entities.3.`."""
        return type(self)({prefix + path: replace(error, path=prefix + path) for path, error in self.items()})

    def first(self, count: int) -> Self:
        """Return the first errors, up to a limit."""
        return type(self)(islice(self.items(), count))

    def messages(self) -> dict[str, str]:
        """Return the message for each path."""
        return {path: error.message for path, error in self.items()}

    def details(self) -> list[dict[str, Any]]:
        """Return the errors for programs, as `error_details` lists them."""
        return [detail for error in self.values() for detail in error.details()]


class GajiError(Exception):
    """An error with its HTTP status, its kind (the last segment of the problem's `type`) and its message."""

    status = 500
    kind = "internal"
    title = "Something went wrong"

    def __init__(self, message: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.headers = dict(headers or {})
        self.warnings: Mapping[str, str] = {}
        """Ignored attributes of the body, each with the reason."""


class MalformedRequest(GajiError):
    """The body is not JSON, or not an object."""

    status = 400
    kind = "malformed"
    title = "The request could not be read"


class Unauthenticated(GajiError):
    """The key is missing, unknown, revoked or expired."""

    status = 401
    kind = "authentication"
    title = "Authentication required"

    def __init__(self, message: str) -> None:
        super().__init__(message, headers={"WWW-Authenticate": 'ApiKey realm="gaji"'})


class Forbidden(GajiError):
    """The caller is known but is not allowed to do this."""

    status = 403
    kind = "forbidden"
    title = "Not allowed"


class NotFound(GajiError):
    """The record does not exist, or the caller may not see it. Both cases give the same response."""

    status = 404
    kind = "not-found"
    title = "Not found"


class MethodNotAllowed(GajiError):
    """The path exists, but not with this method."""

    status = 405
    kind = "method"
    title = "Method not allowed"


class Conflict(GajiError):
    """The state of a record forbids the request. `errors` names the records that prevent it, if any."""

    status = 409
    kind = "conflict"
    title = "Conflict with the current state"

    def __init__(self, message: str, *, errors: Errors | None = None, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message, headers=headers)
        self.errors = errors or Errors()


class InProgress(Conflict):
    """Something that is still running forbids the request. It ends by itself, so the caller can retry later."""

    kind = "in-progress"
    title = "Still in progress"

    def __init__(self, message: str, *, errors: Errors | None = None, retry_after_s: int = 2) -> None:
        super().__init__(message, errors=errors, headers={"Retry-After": str(retry_after_s)})


class Gone(GajiError):
    """What the caller asks for existed and has been deleted for good."""

    status = 410
    kind = "gone"
    title = "No longer available"


class PreconditionFailed(GajiError):
    """The record is no longer the one that `If-Match` names."""

    status = 412
    kind = "precondition"
    title = "The record has changed"


class TooLarge(GajiError):
    """The body is larger than the limit."""

    status = 413
    kind = "too-large"
    title = "Body too large"


class UnsupportedMediaType(GajiError):
    """The body has a content type that the operation does not accept."""

    status = 415
    kind = "media-type"
    title = "Unsupported media type"


class ValidationError(GajiError):
    """Some attributes are not valid. `errors` holds one error for each of them."""

    status = 422
    kind = "validation"
    title = "Validation failed"

    def __init__(
        self, errors: Errors, message: str | None = None, *, warnings: Mapping[str, str] | None = None
    ) -> None:
        count = len(errors)
        noun = "1 attribute is" if count == 1 else f"{count} attributes are"
        super().__init__(message or f"{noun} not valid")
        self.errors = errors
        self.warnings = warnings or {}


def invalid(path: str, kind: ErrorCode, **params: Param) -> ValidationError:
    """Return the validation error for a single attribute."""
    return ValidationError(Errors.single(path, kind, **params))


class TooManyRequests(GajiError):
    """A rate limit or a limit on concurrent work was reached."""

    status = 429
    kind = "too-many-requests"
    title = "Too many requests"


class Unavailable(GajiError):
    """The database is restarting or cannot be reached. The caller can retry later."""

    status = 503
    kind = "unavailable"
    title = "Temporarily unavailable"

    def __init__(self, message: str, retry_after_s: int = 2) -> None:
        super().__init__(message, headers={"Retry-After": str(retry_after_s)})


PROBLEMS: tuple[type[GajiError], ...] = (
    MalformedRequest,
    Unauthenticated,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    Conflict,
    InProgress,
    Gone,
    PreconditionFailed,
    TooLarge,
    UnsupportedMediaType,
    ValidationError,
    TooManyRequests,
    GajiError,
    Unavailable,
)
"""Every kind of error, ordered by status: what the documentation lists."""


def note_texts(notes: Iterable[FieldError]) -> dict[str, str]:
    """Return notes about values that were saved, by path, as `warnings` of a response has them."""
    texts: dict[str, list[str]] = {}
    for note in notes:
        texts.setdefault(note.path, []).append(note.message)
    return {path: "; ".join(messages) for path, messages in texts.items()}
