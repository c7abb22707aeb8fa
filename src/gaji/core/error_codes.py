"""Codes of validation errors that several resources use. A resource declares its own beside its rules."""

from gaji.core.errors import ErrorCode

REQUIRED = ErrorCode("required", "is required")
NOT_AN_OBJECT = ErrorCode("not_an_object", "must be an object")
NOT_A_STRING = ErrorCode("not_a_string", "must be a string")
CONTROL_CHARACTER = ErrorCode("control_character", "must not contain control characters")
WRONG_LENGTH = ErrorCode("wrong_length", "must be exactly {length} characters")
TOO_LONG = ErrorCode("too_long", "must be at most {max_length} characters")
LENGTH_OUT_OF_RANGE = ErrorCode("length_out_of_range", "must be {min_length} to {max_length} characters")
NOT_AN_EMAIL = ErrorCode("not_an_email", "must be an email address such as siti@example.com")
NOT_AN_INTEGER = ErrorCode("not_an_integer", "must be an integer")
OUT_OF_RANGE = ErrorCode("out_of_range", "must be from {minimum} to {maximum}")
NOT_A_NUMBER = ErrorCode("not_a_number", "must be a number such as 12.5")
NOT_A_MULTIPLE = ErrorCode("not_a_multiple", "must be a multiple of {step}")
NOT_POSITIVE = ErrorCode("not_positive", "must be more than 0")
NEGATIVE = ErrorCode("negative", "must not be negative")
TOO_LARGE = ErrorCode("too_large", "must be at most {maximum}")
TOO_MANY_DECIMALS = ErrorCode("too_many_decimals", "must have at most {maximum} decimals")
NOT_AN_AMOUNT = ErrorCode("not_an_amount", "must be an amount such as 1234.50")
NOT_A_BOOLEAN = ErrorCode("not_a_boolean", "must be true or false")
NOT_AN_ARRAY = ErrorCode("not_an_array", "must be an array")
TOO_MANY_ITEMS = ErrorCode("too_many_items", "must have at most {maximum} items")
DUPLICATE = ErrorCode("duplicate", "must not appear twice")
NOT_A_DATE = ErrorCode("not_a_date", "must be a date such as 2026-03-31")
NOT_A_CYCLE = ErrorCode(
    "not_a_cycle",
    "must be two to six weeks with the hours of seven days, each from 0 to 24, such as 8 8 8 8 8 4 0 / 8 8 8 8 8 0 0",
)
NOT_A_MONTH = ErrorCode("not_a_month", "must be a month such as 2026-01")
NO_SUCH_DATE = ErrorCode("no_such_date", "{value} is not a valid calendar date")
DATE_TOO_LATE = ErrorCode("date_too_late", "must not be after {latest}")
NOT_ALLOWED = ErrorCode("not_allowed", "must be one of {allowed}")
NOT_IN_LIST = ErrorCode("not_in_list", "is not in the list /constants/{list}")
NOT_APPLICABLE = ErrorCode("not_applicable", "is only allowed when {attribute} is {value}")
WRONG_CHECK_LETTER = ErrorCode("wrong_check_letter", "{value} has the wrong check letter")
REQUIRED_WHEN = ErrorCode("required_when", "is required when {attribute} is {value}")
UNKNOWN_ID = ErrorCode("unknown_id", "{resource} {id} does not exist in this client")
"""For references to other records of the client: `resource` is the noun for a person, such as `pay point`."""
NOT_A_PERIOD_END = ErrorCode(
    "not_a_period_end", "{date} is not the end of a period; the nearest end dates are {previous} and {next}"
)
MONTH_NOT_COVERED = ErrorCode("month_not_covered", "{sentence}")
"""For months before or after the statutory parameters. The params are months such as `2026-01`."""
NAME_TAKEN = ErrorCode("name_taken", "{name} is already in use")
