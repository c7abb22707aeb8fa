"""The size of a demo, unless another one is requested."""

DEFAULT_EMPLOYEES = 25
"""Enough for the most important cases."""
DEFAULT_MONTHS = 3
"""Enough months to compare, created in seconds."""
