"""The first day that the year to date on payslips counts."""

from datetime import date

from gaji.db.tenancy import Transaction
from gaji.documents.payslips.repository import load_first_days
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, MARCH, done, hired, paid
from tests.payroll.payslips.slips import draft, slips
from tests.payroll.payslips.test_pay_register_plan import in_snapshot
from tests.support.company import MONTHLY, WEEKLY, Company

APRIL = "2026-04-30"
NEW_YEAR, FIRST_OF_MARCH = date(2026, 1, 1), date(2026, 3, 1)


def first_days(company: Company, *payslip_ids: int) -> list[date]:
    """Return the first day of the year that was paid, for each payslip."""

    async def load(tx: Transaction) -> dict[int, date]:
        return await load_first_days(tx, payslip_ids)

    days = in_snapshot(company, load)
    return [days[payslip_id] for payslip_id in payslip_ids]


def test_a_once_off_payslip_of_anyone_on_the_wave_counts(company: Company) -> None:
    wave_id = company.wave(**{**MONTHLY, "first_end_date": MARCH})
    paid_once_off = hired(company, wave_id=wave_id, appointment_date="2025-06-01")
    joined = hired(company, wave_id=wave_id, appointment_date="2026-04-10")
    assert first_days(company, draft(company, joined)) == [date(2026, 4, 1)]
    run_id = paid(company, MARCH, wave_id=wave_id, special=True, employee_ids=[paid_once_off])
    special = next(payslip["id"] for payslip in slips(company, paid_once_off) if payslip["special"])
    assert first_days(company, special, draft(company, joined)) == [FIRST_OF_MARCH, FIRST_OF_MARCH]
    done(company, run_id, "unfinalise")
    assert first_days(company, draft(company, joined)) == [date(2026, 4, 1)]


def test_colleagues_of_a_joiner_count_but_not_those_on_other_waves(company: Company) -> None:
    hired(company)
    paid(company, JANUARY)
    joined = hired(company, appointment_date="2026-02-10")
    elsewhere = hired(company, wave_id=company.wave(**WEEKLY), appointment_date="2026-02-10")
    assert first_days(company, draft(company, joined)) == [NEW_YEAR]
    [day] = first_days(company, draft(company, elsewhere))
    assert NEW_YEAR < day <= date(2026, 2, 10)


def test_payslips_on_an_earlier_wave_count(company: Company) -> None:
    employee_id = hired(company)
    for end in (JANUARY, FEBRUARY):
        paid(company, end)
    april_wave_id = company.wave(**{**MONTHLY, "first_end_date": APRIL})
    assert company.patch(employee_id, wave_id=april_wave_id).status_code == 200
    joined = hired(company, wave_id=april_wave_id, appointment_date="2026-04-01")
    paid_before = draft(company, employee_id)
    assert first_days(company, paid_before, draft(company, joined)) == [NEW_YEAR, date(2026, 4, 1)]


def test_payslips_of_another_year_and_later_ones_do_not_count(company: Company) -> None:
    wave_id = company.wave(**{**MONTHLY, "first_end_date": "2025-12-31"})
    employee_id = hired(company, wave_id=wave_id, appointment_date="2025-12-01")
    for end in ("2025-12-31", JANUARY, FEBRUARY):
        paid(company, end, wave_id=wave_id)
    payslip_ids = [payslip["id"] for payslip in slips(company, employee_id)[:3]]
    assert first_days(company, *payslip_ids) == [date(2025, 12, 1), NEW_YEAR, NEW_YEAR]
