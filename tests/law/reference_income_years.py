"""A plain second implementation of the year of income: the years of a payment, from a table of rules."""

from datetime import date
from typing import Any

Years = list[int]


def income_years(rule: str, start: date, end: date, paid: date, last_day: date | None, inputs: dict[str, Any]) -> Years:
    """Return the years of income of a payment."""
    entered = {name: int(value[:4]) for name, value in inputs.items() if isinstance(value, str) and value[:4].isdigit()}
    period = list(range(start.year, end.year + 1))
    if rule == "payment" or (rule == "commission" and inputs.get("commission_for") == "longer"):
        return [paid.year]
    if rule in ("work", "commission"):
        return period
    if rule == "contribution":
        return [end.year]
    if rule == "bonus":
        return [entered.get("declaration_date", end.year)] if inputs.get("contractual") else [paid.year]
    if rule == "entitlement":
        left = last_day.year if last_day and last_day <= end else end.year
        return [entered.get("entitlement_date", left)]
    if rule == "fee" and not inputs.get("approved_in_advance"):
        return [entered.get("approval_date", paid.year)]
    if rule == "arrears" and "for_from" not in inputs:
        return period
    first = inputs.get("for_from", str(start))
    last = max(first, inputs.get("for_to", str(end)))
    return list(range(int(first[:4]), int(last[:4]) + 1))
