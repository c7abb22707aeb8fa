"""The steps of an entitlement in a leave policy."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from gaji.core.error_codes import NOT_AN_OBJECT
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import Integer, JsonSchema
from gaji.core.validation import Attribute, Group, Record, parse_attributes
from gaji.law.quantities import MILLI, format_millis
from gaji.leave.quantities import MAX_DAYS, Thousandths

DAYS = Thousandths("days", 0, MAX_DAYS * MILLI)

NOT_STEPS = ErrorCode("not_steps", "must be an array of at most {maximum} steps")
NO_STEPS = ErrorCode("no_steps", "must have at least one step")
WRONG_FIRST_STEP = ErrorCode("wrong_first_step", "must be {expected}")
STEP_NOT_INCREASING = ErrorCode("step_not_increasing", "must be greater than the previous step, {previous}")
STEP_DECREASING = ErrorCode("step_decreasing", "must not be less than the previous step, {previous}")


@dataclass(frozen=True)
class EntitlementSteps:
    """Steps of a scale in increasing order. No step gives fewer days than the previous one."""

    measure: str
    description: str
    min_value: int
    max_steps: int
    first_value: int | None = None
    """The threshold that the first step must have."""
    element_read_only: ClassVar[tuple[str, ...]] = ()

    def parse(self, value: object, path: str, errors: Errors) -> list[Record] | None:
        if not isinstance(value, list) or len(value) > self.max_steps:
            errors.add(path, NOT_STEPS, maximum=self.max_steps)
            return None
        if not value:
            errors.add(path, NO_STEPS)
            return None
        step_errors = Errors()
        steps = [self._parse_step(step, f"{path}.{index}", step_errors) for index, step in enumerate(value)]
        self._check_first(steps[0], path, step_errors)
        self._check_order(steps, path, step_errors)
        errors |= step_errors
        return None if step_errors else steps

    @property
    def element_attributes(self) -> tuple[Attribute, ...]:
        """The attributes of a step."""
        return (
            Attribute(self.measure, Integer(self.min_value, self.max_steps), self.description, required=True),
            Attribute("days", DAYS, "Days a year.", required=True, field="millidays"),
        )

    def _parse_step(self, value: object, path: str, errors: Errors) -> Record:
        if not isinstance(value, Mapping):
            errors.add(path, NOT_AN_OBJECT)
            return {self.measure: None, "millidays": None}
        return parse_attributes(self.element_attributes, value, value, f"{path}.", errors)

    def _check_first(self, step: Record, path: str, errors: Errors) -> None:
        if self.first_value is not None and step[self.measure] not in (None, self.first_value):
            errors.add(f"{path}.0.{self.measure}", WRONG_FIRST_STEP, expected=self.first_value)

    def _check_order(self, steps: list[Record], path: str, errors: Errors) -> None:
        for index, (previous, step) in enumerate(pairwise(steps), start=1):
            before, threshold = previous[self.measure], step[self.measure]
            if before is not None and threshold is not None and threshold <= before:
                errors.add(f"{path}.{index}.{self.measure}", STEP_NOT_INCREASING, previous=before)
            days_before, days = previous["millidays"], step["millidays"]
            if days_before is not None and days is not None and days < days_before:
                errors.add(f"{path}.{index}.days", STEP_DECREASING, previous=format_millis(days_before))

    def json_schema(self) -> JsonSchema:
        return {
            "type": "array",
            "minItems": 1,
            "maxItems": self.max_steps,
            "items": Group(self.element_attributes).json_schema(),
        }
