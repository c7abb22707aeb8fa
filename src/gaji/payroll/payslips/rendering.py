"""The forms in which a payslip is shown, beyond the lines that are kept."""

from collections.abc import Mapping
from typing import Any

import msgspec

from gaji.db.json_lists import json_text
from gaji.engine.catalogue import Catalogue
from gaji.payroll.payslips.queries import Lines

PAYMENTS = ',"leave_payments":'
CAPTIONS = {"total": "Total", "nett_pay": "Nett pay"}

_decode = msgspec.json.Decoder(Lines).decode


def detail_form(payslip_id: int | None, lines: str) -> str:
    """The detail form of a payslip; one that is not kept has no id."""
    own = "" if payslip_id is None else f',"id":{payslip_id}'
    # The last part of what is kept, where it is there, is for the other form; a quote inside a name is escaped.
    shown, _, _ = lines.rpartition(PAYMENTS)
    return f"{shown}{own}}}" if shown else f'{lines[:-1]},"leave":{{}}{own}}}'


def captions(catalogue: Catalogue) -> Mapping[str, str]:
    """What people read in place of the names of items."""
    return {**{name: line.caption for name, line in catalogue.lines.items()}, **CAPTIONS}


def with_data(element: str, lines: str, captions: Mapping[str, str]) -> str:
    """The list form of a payslip with its items, which go by their captions there."""
    found = _decode(lines)

    def told(items: Any) -> list[tuple[str, str]]:
        return [(captions.get(str(item), str(item)), amount) for item, amount in items]

    data = {
        "income": told(found.income),
        "deduction": told(found.deduction),
        "grand_total": told(found.grand_total),
        "sideline": [(group, told(items)) for group, items in found.sideline],
        "leave_payments": found.leave_payments,
    }
    return f'{element[:-1]},"data":{json_text(data)}}}'
