"""Values that an input rejects, as data: higher layers render the message."""

from enum import StrEnum
from typing import Any


class InputProblem(StrEnum):
    """Why a value is rejected. The names are error codes of the API (`core/validation.py`)."""

    NOT_AN_AMOUNT = "not_an_amount"
    NOT_A_NUMBER = "not_a_number"
    NOT_AN_INTEGER = "not_an_integer"
    NOT_A_MULTIPLE = "not_a_multiple"
    NOT_A_BOOLEAN = "not_a_boolean"
    NOT_A_DATE = "not_a_date"
    NOT_A_MONTH = "not_a_month"
    NOT_A_STRING = "not_a_string"
    NOT_A_CYCLE = "not_a_cycle"
    NOT_ALLOWED = "not_allowed"
    NEGATIVE = "negative"
    NOT_POSITIVE = "not_positive"
    TOO_LARGE = "too_large"
    TOO_MANY_DECIMALS = "too_many_decimals"
    OUT_OF_RANGE = "out_of_range"
    TOO_LONG = "too_long"
    CONTROL_CHARACTER = "control_character"


class InvalidInput(ValueError):
    """A value that is not valid: the problem, and the parameters of its message."""

    def __init__(self, problem: InputProblem, **params: Any) -> None:
        super().__init__(problem.value, params)
        self.problem = problem
        self.params = params
