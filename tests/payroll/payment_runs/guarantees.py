"""Checks that every run and its payslips must pass."""

from decimal import Decimal
from typing import Any

from tests.payroll.payment_runs.runs import listed, payslips, read
from tests.payroll.payslips.slips import detail
from tests.support.company import Company

TOTALS = ("total", "nett_pay")


def check_run(company: Company, run_id: int) -> None:
    """A run comes to what its payslips come to, and each of them adds up."""
    slips = payslips(company, run_id)
    for slip in slips:
        check_lines(detail(company, slip["id"]))
    nett = sum((Decimal(dict(slip["data"]["grand_total"])["Nett pay"]) for slip in slips), Decimal())
    assert nett == sum((_exact(slip["nett_pay"]) for slip in slips), Decimal())
    run = read(company, run_id)
    assert _exact(run["total"]) == nett
    assert [one["total"] for one in listed(company) if one["id"] == run_id] == [run["total"]]
    assert run["counts"]["payslips"] == len(slips) == len({slip["employee_id"] for slip in slips})


def check_lines(form: dict[str, Any]) -> None:
    """Income less deductions is the nett pay, and every total is that of its lines, exactly."""
    sections = {name: _amounts(form[name]) for name in ("income", "deduction", "grand_total")}
    for name in ("income", "deduction"):
        assert sections[name]["total"] == sum(
            (amount for item, amount in sections[name].items() if item not in TOTALS), Decimal()
        )
    assert sections["grand_total"]["nett_pay"] == sections["income"]["total"] - sections["deduction"]["total"]


def _amounts(lines: list[tuple[str, str]]) -> dict[str, Decimal]:
    found = {str(item): Decimal(amount) for item, amount in lines}
    assert len(found) == len(lines)
    return found


def _exact(number: float) -> Decimal:
    """A JSON number with at most two decimals, as it was written."""
    return Decimal(str(number)).quantize(Decimal("0.01"))
