"""Which operation a path and a method mean."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from gaji.errors import MethodNotAllowed, NotFound
from gaji.web.operations import Operation

BASE = "v1"
PARAMETER = re.compile(r"{(\w+)}")


@dataclass(slots=True)
class Place:
    """A path so far: what may follow, and what can be done here."""

    words: dict[str, "Place"] = field(default_factory=dict)
    parameter: "Place | None" = None
    """What follows after anything that is none of the words."""
    operations: dict[str, tuple[Operation, tuple[str, ...]]] = field(default_factory=dict)
    """By method, each with the names of the parameters on the way here."""


class Routing:
    """The paths of operations, with and without a slash at the end."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._root = Place()
        for operation in operations:
            self._add(operation)

    def find(self, method: str, path: str) -> tuple[Operation, dict[str, str]]:
        """The operation and its parameters; raises NotFound or MethodNotAllowed."""
        place = self._root
        values: list[str] = []
        for part in path.split("/"):
            if not part:
                continue
            following = place.words.get(part)
            if following is None:
                following = place.parameter
                values.append(part)
            if following is None:
                raise _nothing_at(path)
            place = following
        found = place.operations.get(method)
        if found is None:
            raise _not_allowed(place) if place.operations else _nothing_at(path)
        operation, names = found
        return operation, dict(zip(names, values, strict=True))

    def _add(self, operation: Operation) -> None:
        place = self._root
        for part in f"{BASE}{operation.path}".split("/"):
            if PARAMETER.fullmatch(part):
                place.parameter = place.parameter or Place()
                place = place.parameter
            else:
                place = place.words.setdefault(part, Place())
        if operation.method in place.operations:
            raise ValueError(f"{operation.method} {operation.path} is declared twice")
        place.operations[operation.method] = (operation, tuple(PARAMETER.findall(operation.path)))


def _nothing_at(path: str) -> NotFound:
    return NotFound(f"There is nothing at {path[:200]}")


def _not_allowed(place: Place) -> MethodNotAllowed:
    allowed = ", ".join(place.operations)
    return MethodNotAllowed(f"This path can be used with {allowed}", headers={"Allow": allowed})
