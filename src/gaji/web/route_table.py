"""Find the operation or page for a method and a path."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from gaji.core.errors import MethodNotAllowed, NotFound
from gaji.web.operations import is_identifier

API_BASE = "v1"
PARAMETER = re.compile(r"{(\w+)}")
PARAMETER_WITH_EXTENSION = re.compile(r"{\w+}(\.\w+)")
IDENTIFIER = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)


class HasRoute(Protocol):
    """Something with a method and a path: an operation or a page."""

    @property
    def method(self) -> str: ...

    @property
    def path(self) -> str: ...


Target = TypeVar("Target", bound=HasRoute)


@dataclass(frozen=True, slots=True)
class Route(Generic[Target]):
    """An operation or page, and the parameters of its path: their names, and whether each is an identifier."""

    operation: Target
    parameters: tuple[tuple[str, bool], ...]

    def parse_values(self, values: Sequence[str]) -> tuple[dict[str, int], dict[str, str]]:
        """Return the identifiers and the other parameters. Raises NotFound for values that no record can have."""
        ids: dict[str, int] = {}
        names: dict[str, str] = {}
        for (name, is_id), value in zip(self.parameters, values, strict=True):
            if is_id:
                ids[name] = _parse_identifier(value)
            elif "\x00" in value:
                raise NotFound("No name contains a null character")
            else:
                names[name] = value
        return ids, names


@dataclass(slots=True)
class RouteNode(Generic[Target]):
    """A path prefix: what may follow, and the routes that end here."""

    words: dict[str, "RouteNode[Target]"] = field(default_factory=dict)
    parameter: "RouteNode[Target] | None" = None
    """The node after any segment that is not one of the words."""
    extensions: dict[str, "RouteNode[Target]"] = field(default_factory=dict)
    """The nodes after any segment with an extension such as `.pdf`."""
    routes: dict[str, Route[Target]] = field(default_factory=dict)
    """By method."""


class RouteTable(Generic[Target]):
    """A prefix tree of paths. A trailing slash makes no difference."""

    def __init__(self, targets: Iterable[Target], base: str = API_BASE) -> None:
        self._root: RouteNode[Target] = RouteNode()
        for target in targets:
            self._add(target, f"{base}{target.path}")

    def find(self, method: str, path: str) -> tuple[Route[Target], list[str]]:
        """Return the route and the values of its parameters. Raises NotFound or MethodNotAllowed."""
        node = self._root
        values: list[str] = []
        for segment in path.split("/"):
            if not segment:
                continue
            child = node.words.get(segment)
            if child is None:
                child, value = _match_parameter(node, segment)
                values.append(value)
            if child is None:
                raise _no_such_path(path)
            node = child
        route = node.routes.get(method)
        if route is None:
            raise _method_not_allowed(node) if node.routes else _no_such_path(path)
        return route, values

    def _add(self, target: Target, path: str) -> None:
        node = self._root
        for segment in path.strip("/").split("/") if path.strip("/") else ():
            if PARAMETER.fullmatch(segment):
                node.parameter = node.parameter or RouteNode()
                node = node.parameter
            elif match := PARAMETER_WITH_EXTENSION.fullmatch(segment):
                node = node.extensions.setdefault(match[1], RouteNode())
            else:
                node = node.words.setdefault(segment, RouteNode())
        if target.method in node.routes:
            raise ValueError(f"{target.method} {target.path} is declared twice")
        parameters = tuple((name, is_identifier(name)) for name in PARAMETER.findall(target.path))
        node.routes[target.method] = Route(target, parameters)


def _match_parameter(node: RouteNode[Target], segment: str) -> tuple[RouteNode[Target] | None, str]:
    """Return the node after a parameter, and the value of the parameter."""
    if node.extensions:
        value, dot, extension = segment.rpartition(".")
        if child := node.extensions.get(dot + extension):
            return child, value
    return node.parameter, segment


def _parse_identifier(text: str) -> int:
    if not IDENTIFIER.fullmatch(text):
        raise NotFound(f"Record {text[:40]!r} does not exist: IDs are whole numbers")
    return int(text)


def _no_such_path(path: str) -> NotFound:
    return NotFound(f"Nothing found at {path[:200]}")


def _method_not_allowed(node: RouteNode[Target]) -> MethodNotAllowed:
    allowed = ", ".join(node.routes)
    return MethodNotAllowed(f"This path supports {allowed}", headers={"Allow": allowed})
