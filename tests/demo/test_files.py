"""Files of the demo company: its months can be filed and its runs paid, and the totals equal its payslips."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from gaji.core.settings import Settings
from gaji.documents.filings import service as filings
from gaji.documents.payment_files import service as payment_files
from gaji.law.months import Month
from tests.demo.demo_company import DemoCompany, create_demo_company
from tests.documents import dbs_reader, ezpay_reader

MONTHS = (Month(2026, 9), Month(2026, 10))
FUNDS = {"02": "mbmf", "03": "sinda", "04": "cdac", "05": "ecf"}
FIGURES = (*FUNDS.values(), "cpf_employee", "cpf_employer", "levy", "sdl")


@pytest.fixture(scope="module")
def company(settings: Settings) -> Iterator[DemoCompany]:
    with create_demo_company(settings, 1, employees=120, months=len(MONTHS)) as demo_company:
        yield demo_company


def payslips(company: DemoCompany, condition: str, *arguments: Any) -> list[Any]:
    return company.fetch(f"SELECT * FROM payslips WHERE finalised AND {condition}", *arguments)


@pytest.mark.parametrize("month", MONTHS, ids=str)
def test_every_month_can_be_filed_and_equals_its_payslips(company: DemoCompany, month: Month) -> None:
    filing = company.run(filings.download_cpf_filing(company.tenant, company.client_id, month))
    assert filing.file.data is not None
    file = ezpay_reader.read(filing.file.data)
    due, contributions = Counter[str](), Counter[int]()
    for payslip in payslips(company, "date BETWEEN $1 AND $2", month.first_day, (month + 1).last_day):
        figures = month_figures(payslip, month)
        due.update(figures)
        contributions[payslip["employee_id"]] += figures["cpf_employer"]
    assert file.amount("01") == due["cpf_employee"] + due["cpf_employer"] > 0
    for payment in filing.separate:
        due[FUNDS[payment.kind.code]] -= payment.cents
    assert {name: file.amount(code) for code, name in FUNDS.items()} == {name: due[name] for name in FUNDS.values()}
    assert file.amount("08") == 0
    [levy] = company.run(filings.list_filings(company.tenant, company.client_id, month))[1:]
    assert isinstance(levy, filings.LevyFiling)
    assert levy.total_cents == due["levy"] > 0
    assert file.amount("11") == due["sdl"] // 100 * 100 > 0
    assert len(file.details_of("01")) == len(
        [employee_id for employee_id in contributions if contributions[employee_id]]
    )


def month_figures(payslip: Any, month: Month) -> dict[str, int]:
    """The figures of a payslip that belong to a month: all but its part for the month before, or that part."""
    before = json.loads(payslip["previous_month"] or "{}")
    if payslip["date"] > month.last_day:
        return {name: before.get(name, 0) for name in FIGURES}
    return {name: payslip[name] - before.get(name, 0) for name in FIGURES}


def test_every_run_can_be_paid_and_equals_its_payslips(company: DemoCompany) -> None:
    runs = company.fetch("SELECT id FROM payment_runs WHERE finalised ORDER BY id")
    assert len(runs) > len(MONTHS)
    for run in runs:
        files = company.run(payment_files.list_files(company.tenant, run["id"]))
        assert [file.file.errors for file in files] == [{}] * len(files)
        paid = sum(file.file.total_cents for file in files)
        withheld = {pay.payslip_id: pay.cents for file in files for pay in file.batch.withheld}
        assert paid + sum(withheld.values()) == sum(
            payslip["nett_pay"] for payslip in payslips(company, "payment_run_id = $1", run["id"])
        )
        for file in files:
            if file.bank:
                assert file.file.data is not None
                assert dbs_reader.read(file.file.data).total_cents == file.file.total_cents
