"""JSON forms of a payslip, built from its stored lines."""

from collections.abc import Iterable, Mapping

import msgspec

from gaji.db.json_lists import json_text
from gaji.engine.catalogue import Catalogue
from gaji.payroll.payslips.queries import StoredLines

LEAVE_PAYMENTS = ',"leave_payments":'
CAPTIONS = {"total": "Total", "nett_pay": "Nett pay"}

_decode = msgspec.json.Decoder(StoredLines).decode


def detail_json(payslip_id: int | None, lines: str) -> str:
    """Return the detail form of a payslip. A payslip that is not stored has no id."""
    id_json = "" if payslip_id is None else f',"id":{payslip_id}'
    # `leave_payments` is the last key of the stored lines and belongs to the other form. A quote inside a name is
    # escaped, so this text cannot occur in a value.
    detail, _, _ = lines.rpartition(LEAVE_PAYMENTS)
    return f"{detail}{id_json}}}" if detail else f'{lines[:-1]},"leave":{{}}{id_json}}}'


def captions_by_item(catalogue: Catalogue) -> Mapping[str, str]:
    """Return the display captions of items, by name."""
    return {**{name: line.caption for name, line in catalogue.lines.items()}, **CAPTIONS}


def add_data(element: str, lines: str, captions: Mapping[str, str]) -> str:
    """Return the list form of a payslip with its items in `data`, labelled by caption."""
    stored = _decode(lines)

    def with_captions(items: Iterable[tuple[str | int, str]]) -> list[tuple[str, str]]:
        return [(captions.get(str(item), str(item)), amount) for item, amount in items]

    data = {
        "income": with_captions(stored.income),
        "deduction": with_captions(stored.deduction),
        "grand_total": with_captions(stored.grand_total),
        "sideline": [(group, with_captions(items)) for group, items in stored.sideline],
        "leave_payments": stored.leave_payments,
    }
    return f'{element[:-1]},"data":{json_text(data)}}}'
