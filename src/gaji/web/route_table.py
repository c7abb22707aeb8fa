"""Which operation a path and a method mean."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from gaji.core.errors import MethodNotAllowed, NotFound
from gaji.web.operations import is_identifier

BASE = "v1"
PARAMETER = re.compile(r"{(\w+)}")
PARAMETER_WITH_ENDING = re.compile(r"{\w+}(\.\w+)")
IDENTIFIER = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)


class HasRoute(Protocol):
    """What is found by a method and a path: an operation, or a page."""

    @property
    def method(self) -> str: ...

    @property
    def path(self) -> str: ...


Found = TypeVar("Found", bound=HasRoute)


@dataclass(frozen=True, slots=True)
class Route(Generic[Found]):
    """An operation, and the parameters on the way to it: their names, and whether each is an identifier."""

    operation: Found
    parameters: tuple[tuple[str, bool], ...]

    def parse_values(self, values: Sequence[str]) -> tuple[dict[str, int], dict[str, str]]:
        """The identifiers and the other parameters of a path; raises NotFound for what cannot be an identifier."""
        ids: dict[str, int] = {}
        names: dict[str, str] = {}
        for (name, identifies), value in zip(self.parameters, values, strict=True):
            if identifies:
                ids[name] = _identifier(value)
            else:
                names[name] = value
        return ids, names


@dataclass(slots=True)
class RouteNode(Generic[Found]):
    """A path so far: what may follow, and what can be done here."""

    words: dict[str, "RouteNode[Found]"] = field(default_factory=dict)
    parameter: "RouteNode[Found] | None" = None
    """What follows after anything that is none of the words."""
    endings: dict[str, "RouteNode[Found]"] = field(default_factory=dict)
    """What follows after anything with such an ending, `.pdf` say."""
    operations: dict[str, Route[Found]] = field(default_factory=dict)
    """By method."""


class RouteTable(Generic[Found]):
    """The paths of operations, with and without a slash at the end."""

    def __init__(self, operations: Iterable[Found], base: str = BASE) -> None:
        self._root: RouteNode[Found] = RouteNode()
        for operation in operations:
            self._add(operation, f"{base}{operation.path}")

    def find(self, method: str, path: str) -> tuple[Route[Found], list[str]]:
        """The operation and the values of its parameters; raises NotFound or MethodNotAllowed."""
        place = self._root
        values: list[str] = []
        for part in path.split("/"):
            if not part:
                continue
            following = place.words.get(part)
            if following is None:
                following, value = _after_value(place, part)
                values.append(value)
            if following is None:
                raise _nothing_at(path)
            place = following
        route = place.operations.get(method)
        if route is None:
            raise _not_allowed(place) if place.operations else _nothing_at(path)
        return route, values

    def _add(self, operation: Found, path: str) -> None:
        place = self._root
        for part in path.strip("/").split("/") if path.strip("/") else ():
            if PARAMETER.fullmatch(part):
                place.parameter = place.parameter or RouteNode()
                place = place.parameter
            elif with_ending := PARAMETER_WITH_ENDING.fullmatch(part):
                place = place.endings.setdefault(with_ending[1], RouteNode())
            else:
                place = place.words.setdefault(part, RouteNode())
        if operation.method in place.operations:
            raise ValueError(f"{operation.method} {operation.path} is declared twice")
        parameters = tuple((name, is_identifier(name)) for name in PARAMETER.findall(operation.path))
        place.operations[operation.method] = Route(operation, parameters)


def _after_value(place: RouteNode[Found], part: str) -> tuple[RouteNode[Found] | None, str]:
    """What follows after the value of a parameter, and that value."""
    if place.endings:
        value, dot, ending = part.rpartition(".")
        if following := place.endings.get(dot + ending):
            return following, value
    return place.parameter, part


def _identifier(text: str) -> int:
    if not IDENTIFIER.fullmatch(text):
        raise NotFound(f"There is no record {text[:40]!r}: identifiers are whole numbers")
    return int(text)


def _nothing_at(path: str) -> NotFound:
    return NotFound(f"There is nothing at {path[:200]}")


def _not_allowed(place: RouteNode[Found]) -> MethodNotAllowed:
    allowed = ", ".join(place.operations)
    return MethodNotAllowed(f"This path can be used with {allowed}", headers={"Allow": allowed})
