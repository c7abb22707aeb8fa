"""The steps of an entitlement, as they are written in a policy."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from gaji.core.errors import INVALID, Errors
from gaji.core.validation import Attribute, Group, Integer, JsonSchema, Record, parse_attributes
from gaji.law.quantities import MILLI, format_millis
from gaji.leave.quantities import MOST_DAYS, Thousandths

DAYS = Thousandths("days", 0, MOST_DAYS * MILLI)


@dataclass(frozen=True)
class Steps:
    """Steps of a scale, the lowest first, none of which gives less than the one before."""

    measure: str
    about: str
    least: int
    most: int
    begins: int | None = None
    """What the first step has to be of."""

    def parse(self, value: object, path: str, errors: Errors) -> list[Record] | None:
        if not isinstance(value, list) or len(value) > self.most:
            errors.add(path, INVALID, reason=f"must be an array of at most {self.most} steps")
            return None
        if not value:
            errors.add(path, INVALID, reason="must have a step")
            return None
        found: Errors = Errors()
        steps = [self._step(one, f"{path}.{place}", found) for place, one in enumerate(value)]
        self._check_first(steps[0], path, found)
        self._check_order(steps, path, found)
        errors |= found
        return None if found else steps

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """What a step consists of."""
        return (
            Attribute(self.measure, Integer(self.least, self.most), self.about, required=True),
            Attribute("days", DAYS, "Days a year.", required=True),
        )

    def _step(self, value: object, path: str, errors: Errors) -> Record:
        if not isinstance(value, Mapping):
            errors.add(path, INVALID, reason="must be an object")
            return {self.measure: None, "days": None}
        return parse_attributes(self.attributes, value, value, f"{path}.", errors)

    def _check_first(self, step: Record, path: str, errors: Errors) -> None:
        if self.begins is not None and step[self.measure] not in (None, self.begins):
            errors.add(f"{path}.0.{self.measure}", INVALID, reason=f"must be {self.begins}")

    def _check_order(self, steps: list[Record], path: str, errors: Errors) -> None:
        for place, (earlier, later) in enumerate(pairwise(steps), start=1):
            if (
                None not in (earlier[self.measure], later[self.measure])
                and later[self.measure] <= earlier[self.measure]
            ):
                errors.add(
                    f"{path}.{place}.{self.measure}",
                    INVALID,
                    reason=f"must be above the one before, {earlier[self.measure]}",
                )
            if None not in (earlier["days"], later["days"]) and later["days"] < earlier["days"]:
                errors.add(
                    f"{path}.{place}.days",
                    INVALID,
                    reason=f"must not be below the one before, {format_millis(earlier['days'])}",
                )

    def json_schema(self) -> JsonSchema:
        return {"type": "array", "minItems": 1, "maxItems": self.most, "items": Group(self.attributes).json_schema()}
