"""SQL for the part of payslip figures that belongs to the month before that of the payslip's date."""

from collections.abc import Iterable

PREVIOUS_MONTH_PART = "CROSS JOIN (VALUES (true, 1), (false, -1)) AS part(previous, sign)"
"""Adds the part to the month before, and subtracts it from the payslip's month."""
PART_DATE = """CASE WHEN part.previous THEN (date_trunc('month', p.date) - interval '1 day')::date
    ELSE p.date END AS date"""
"""A day of the month that the part is added to or subtracted from."""


def part_columns(names: Iterable[str]) -> str:
    """Return the figures of the part as columns. Missing figures are zero."""
    return ", ".join(f"part.sign * coalesce((p.previous_month->>'{name}')::bigint, 0) AS {name}" for name in names)
