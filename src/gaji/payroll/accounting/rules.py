"""Checks of accounts, accounting splits and the shares of employees."""

import re
from collections.abc import Mapping, Set
from decimal import Decimal
from typing import Any

from gaji.core.errors import ErrorCode, Errors, ValidationError
from gaji.core.validation import MAX_NAME_LENGTH, Record, Rule, suggest
from gaji.engine.split_allocation import FULL_SHARE
from gaji.payroll.calculation_definitions.rules import UNKNOWN_ITEM

BY_EMPLOYEE = "employee"
BY_PAY_POINT = "pay_point"
UNDIVIDED = "none"
"""The modes of accounting splits."""
REST_ID = "0"
"""The ID of the split for employees who are in no other."""
MAX_UNKNOWN_SPLITS = 100
"""Unknown splits that are reported. Limits the size of the response to a large body."""
PERCENT = re.compile(r"[0-9]{1,3}(\.[0-9]{1,2})?")

UNKNOWN_SPLIT = ErrorCode("unknown_accounting_split", "is not the ID of an accounting split of this client")
NOT_A_PERCENTAGE = ErrorCode("not_a_percentage", "must be a percentage from 0 to 100 with at most 2 decimals")
SHARES_NOT_COMPLETE = ErrorCode("shares_not_complete", "must add up to 100, not {total}")
DUPLICATE_SPLIT_NAME = ErrorCode("duplicate_split_name", "must have different names")


def known_item_rule(items: Set[str]) -> Rule:
    """Return the rule that the item exists on the payslips of the client."""

    def check(record: Record, errors: Errors) -> None:
        item = record["item"]
        if item is not None and item not in items:
            errors.add_if_absent("item", UNKNOWN_ITEM, item=item, suggestion=suggest(item, list(items)))

    return check


def parse_shares(body: Mapping[str, Any], split_ids: Set[str]) -> dict[str, int]:
    """Return the shares by split, in hundredths of a percent. The percentages add up to 100 unless there are none."""
    wrapped = body.get("accounting_splits")
    percentages = wrapped if isinstance(wrapped, Mapping) else body
    errors = Errors()
    shares: dict[str, int] = {}
    for key, value in percentages.items():
        share = _hundredths(value)
        if key not in split_ids:
            if len(errors) < MAX_UNKNOWN_SPLITS:
                errors.add(key[:MAX_NAME_LENGTH], UNKNOWN_SPLIT)
        elif share is None:
            errors.add(key, NOT_A_PERCENTAGE)
        else:
            shares[key] = share
    if percentages and not errors and sum(shares.values()) != FULL_SHARE:
        errors.add("accounting_splits", SHARES_NOT_COMPLETE, total=percent_text(sum(shares.values())))
    if errors:
        raise ValidationError(errors)
    return {split_id: share for split_id, share in shares.items() if share}


def percent_text(share: int) -> str:
    """Return a share in hundredths of a percent as a percentage.

    >>> percent_text(3333), percent_text(5050), percent_text(10000)
    ('33.33', '50.5', '100')
    """
    return f"{(Decimal(share) / 100).normalize():f}"


def _hundredths(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        return None
    if isinstance(value, str) and not PERCENT.fullmatch(value):
        return None
    percent = Decimal(value)
    if not percent.is_finite() or not 0 <= percent <= 100 or percent != round(percent, 2):
        return None
    return int(percent * 100)
