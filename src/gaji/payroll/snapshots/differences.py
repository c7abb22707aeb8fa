"""What differs between two finalisations of a run: by payslip and item, the amounts before and after."""

from collections.abc import Sequence
from typing import Any

from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.history import amounts_by_item
from gaji.payroll.snapshots import repository

Item = str | int
MAX_PAYSLIPS = 100
"""Payslips that are listed with their items. The others are counted."""


async def save_differences(tx: Transaction, client_id: int, run_id: int) -> dict[str, Any] | None:
    """Compare a run with its previous finalisation and save the result. Returns None for the first finalisation."""
    if not await repository.was_reopened(tx, client_id, run_id):
        return None
    count = 0
    listed: list[dict[str, Any]] = []
    async for rows in repository.iterate_changed(tx, client_id, run_id):
        for row in rows:
            if items := compare_lines(row["before"], row["after"]):
                count += 1
                if len(listed) < MAX_PAYSLIPS:
                    identity = {name: row[name] for name in ("payslip_id", "employee_id")}
                    listed.append({**identity, "employee_number": row["number"], "items": items})
    differences = {"count": count, "payslips": listed}
    await repository.save_differences(tx, client_id, run_id, json_text(differences))
    return differences


def compare_lines(before: str | None, after: str | None) -> list[dict[str, Any]]:
    """Return the items of a payslip whose amounts differ. The lines are None if there was or is no payslip.

    >>> compare_lines('{"income": [["bonus", "1.00"], ["total", "1.00"]]}', '{"income": [["total", "0.00"]]}')[0]
    {'item': 'bonus', 'before': '1.00', 'after': None}
    >>> lines = '{"income": [["basic_salary", "9.00"], ["bonus", "1.00"], ["total", "10.00"]]}'
    >>> [change["item"] for change in compare_lines('{"income": [["total", "9.00"]]}', lines)][:2]
    ['basic_salary', 'bonus']
    """
    old = amounts_by_item(before) if before else {}
    new = amounts_by_item(after) if after else {}
    return [
        {"item": item, "before": old.get(item), "after": new.get(item)}
        for item in _payslip_order(list(old), list(new))
        if old.get(item) != new.get(item)
    ]


def _payslip_order(old: Sequence[Item], new: Sequence[Item]) -> list[Item]:
    """Return the items in the order of the payslip now, with removed ones where they were."""
    order = list(new)
    for position, item in enumerate(old):
        if item not in order:
            order.insert(order.index(old[position - 1]) + 1 if position else 0, item)
    return order
