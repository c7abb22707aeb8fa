"""Two years of a small company, month by month. Every payslip is recalculated from its stored inputs."""

from calendar import monthrange
from datetime import date
from random import Random
from typing import Any

from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.replay import recompute_lines
from gaji.tasks.client_transactions import WORKER
from tests.payroll.payment_runs.guarantees import check_run
from tests.payroll.payment_runs.runs import done, opened, payslips
from tests.payroll.payment_runs.test_unfinalise import kept
from tests.payroll.payslips.slips import draft, enter
from tests.support.company import TWICE_A_MONTH, Company, of_status
from tests.support.running import Service, created

MONTHS = [date(year, month, monthrange(year, month)[1]) for year in (2024, 2025) for month in range(1, 13)]
START = "2024-01-01"
LOAN = {"balance": "3000.00", "instalment": "250.00", "start_date": "2024-03-01"}


class Firm:
    """The company, and who works there."""

    def __init__(self, company: Company) -> None:
        self.company = company
        self.halves = company.wave(**TWICE_A_MONTH)
        self.random = Random(24)
        self.clerk = self._hire("2900.00", birthdate="1998-02-28")
        self._enter(self.clerk, "loan", **LOAN)
        self.resident = self._hire("6100.00", **of_status("PR", pr_date="2023-06-15", appointment_date=START))
        self._enter(self.resident, "transport_allowance", amount="180.00", prorate=True)
        self.manager = self._hire("9800.00", birthdate="1970-05-10")
        self.guest = self._hire("5400.00", **of_status("FOREIGNER", appointment_date=START))
        self.cook = self._hire("1450.00", wave_id=self.halves, race="INDIAN")
        self.driver = 0

    def before(self, month: date) -> None:
        """What happens before the run of a month."""
        if (month.year, month.month) == (2024, 7):
            self.driver = self._hire("3100.00", appointment_date="2024-07-15", race="MALAY", religion="ISLAM")
        if (month.year, month.month) == (2025, 9):
            self.company.leave(self.driver, "2025-09-19")
        if (month.year, month.month) == (2025, 1):
            self._enter(self.clerk, "basic_salary", fixed_amount="3300.00")
        if self.driver and (month.year, month.month) <= (2025, 9):
            hours = str(self.random.randrange(0, 40))
            self._enter_for_payslip(self.driver, "basic_salary", overtime_hours_input=hours)
        if month.month == 12:
            self._enter_for_payslip(self.manager, "annual_bonus", months="2", declaration_date=str(month))
            self._enter_for_payslip(self.clerk, "bonus", amount="1234.56")
        if month.month % 5 == 0:
            self._enter_for_payslip(self.guest, "unpaid_leave", days=str(self.random.randrange(1, 4)))

    def pay(self, month: date) -> list[int]:
        """Every run of a month, a special one in March; gives them."""
        runs = [self._run(str(month.replace(day=15)), self.halves), self._run(str(month), self.halves)]
        if month.month == 3:
            special = opened(self.company, str(month), special=True, employee_ids=[self.resident])
            [slip] = payslips(self.company, special)
            enter(self.company, f"payslips/{slip['id']}", "commission", commission_input="700.00")
            done(self.company, special, "finalise")
            runs.append(special)
        return [*runs, self._run(str(month), self.company.wave_id)]

    def _run(self, end: str, wave_id: int) -> int:
        run_id = opened(self.company, end, wave_id=wave_id)
        check_run(self.company, run_id)
        done(self.company, run_id, "finalise")
        return run_id

    def _hire(self, salary: str, **given: Any) -> int:
        if "legal_status" in given:
            employee_id = created(self.company.post(given))
        else:
            employee_id = self.company.hire(**{"appointment_date": START, **given})
        self._enter(employee_id, "basic_salary", fixed_amount=salary)
        return employee_id

    def _enter(self, employee_id: int, name: str, **details: Any) -> None:
        enter(self.company, f"employees/{employee_id}", name, **details)

    def _enter_for_payslip(self, employee_id: int, name: str, **details: Any) -> None:
        enter(self.company, f"payslips/{draft(self.company, employee_id)}", name, **details)


def replayed(service: Service, payslip_ids: list[int]) -> list[str]:
    vault = service.vault

    async def again() -> list[str]:
        async with service.database.maintenance() as connection:
            tx = Transaction(connection, WORKER, vault)
            return [await recompute_lines(tx, payslip_id) for payslip_id in payslip_ids]

    return service.runner.run(again())


def test_two_years_equal_their_replay_and_the_last_month_can_be_done_again(company: Company, service: Service) -> None:
    firm = Firm(company)
    for month in MONTHS:
        firm.before(month)
        runs = firm.pay(month)
    rows = service.as_owner(
        "SELECT id, lines::text FROM payslips WHERE client_id = $1 AND finalised ORDER BY id", company.id
    )
    # Four monthly ones and two halves each month, the driver's fifteen, and two special ones.
    assert len(rows) == 24 * (4 + 2) + 15 + 2
    assert replayed(service, [row["id"] for row in rows]) == [row["lines"] for row in rows]
    before = kept(company)
    for run_id in reversed(runs):
        done(company, run_id, "unfinalise")
    for run_id in runs:
        done(company, run_id, "finalise")
    assert kept(company) == before
