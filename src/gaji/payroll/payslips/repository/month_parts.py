"""SQL for the parts of payslip figures that belong to other months than that of the payslip's date.

`previous_month` has the part for the month before. `past_months` has the parts that correct earlier months. Each part
is added to its month and subtracted from the payslip's month.
"""

from collections.abc import Iterable

_SIGNS = "CROSS JOIN (VALUES (true, 1), (false, -1)) AS part(elsewhere, sign)"

PREVIOUS_MONTH_PART = _SIGNS
PREVIOUS_MONTH_DATE = """CASE WHEN part.elsewhere THEN (date_trunc('month', p.date) - interval '1 day')::date
    ELSE p.date END AS date"""
"""A day of the month that the part is added to or subtracted from."""

PAST_MONTHS_PART = f"CROSS JOIN LATERAL jsonb_each(p.past_months) AS past(month, figures) {_SIGNS}"
PAST_MONTHS_DATE = "CASE WHEN part.elsewhere THEN to_date(past.month, 'YYYY-MM') ELSE p.date END AS date"


def previous_month_columns(names: Iterable[str]) -> str:
    """Return the figures of the part for the month before as columns. Missing figures are zero."""
    return _columns("p.previous_month", names)


def past_month_columns(names: Iterable[str]) -> str:
    """Return the figures of a part that corrects an earlier month as columns. Missing figures are zero."""
    return _columns("past.figures", names)


def _columns(figures: str, names: Iterable[str]) -> str:
    return ", ".join(f"part.sign * coalesce(({figures}->>'{name}')::bigint, 0) AS {name}" for name in names)
