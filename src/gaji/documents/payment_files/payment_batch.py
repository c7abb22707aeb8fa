"""Who is paid by a finalised run, and in which way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from gaji.company.clients.payer import PayerAccount, employer
from gaji.core.clock import SINGAPORE
from gaji.db.tenancy import Transaction
from gaji.payroll.payment_runs.models import PaymentRun
from gaji.payroll.payslips.statutory_totals import NettPay, nett_pays
from gaji.people.employees.filed import Paid, paid
from gaji.people.service_periods.facts import awaiting_clearance

GIRO = "eft_manual"
NEVER = datetime.min.replace(year=1970, tzinfo=UTC)
"""Of a run that pays nobody, and so has no file."""


@dataclass(frozen=True)
class Gathered:
    """The nett pays of a run that are to be paid, those that are withheld, and all that payment goes by."""

    run: PaymentRun
    payer: PayerAccount | None
    people: Mapping[int, Paid]
    due: Sequence[NettPay]
    withheld: Sequence[NettPay]
    """Until the taxes of those who left are cleared, and the payment is released."""
    released: Sequence[NettPay]
    """Those that were. They are paid apart: whoever sends the run's file again would pay all others twice."""
    created: datetime
    """When the run was finalised: files are as old, so that the same run gives the same bytes."""

    def of_released(self) -> "Gathered":
        """The payments that were released, as what is due: not before the day on which the last of them was."""
        last = max(one.released_at for one in self.released if one.released_at).astimezone(SINGAPORE)
        due = [replace(one, pay_date=max(one.pay_date, last.date())) for one in self.released]
        return replace(self, due=due, withheld=[], released=[], created=last)

    def by(self, *methods: str) -> list[NettPay]:
        """Those that are due by one of these payment methods."""
        return [one for one in self.due if self.method(one) in methods]

    def withheld_by(self, *methods: str) -> list[NettPay]:
        """Those that are withheld and would be paid by one of these payment methods."""
        return [one for one in self.withheld if self.method(one) in methods]

    def method(self, one: NettPay) -> str:
        """How someone is paid."""
        return self.people[one.employee_id].payment_method

    def names(self) -> dict[int, str]:
        """The employees as people know them."""
        return {employee_id: str(one.named) for employee_id, one in self.people.items()}


async def gather(tx: Transaction, run: PaymentRun) -> Gathered:
    """What a finalised run pays; a payslip that comes to nothing pays nobody."""
    pays = [one for one in await nett_pays(tx, run.client_id, run.id) if one.cents]
    employee_ids = sorted({one.employee_id for one in pays})
    held = await awaiting_clearance(tx, run.client_id, employee_ids, run.period_end_date)
    return Gathered(
        run=run,
        payer=(await employer(tx, run.client_id)).account,
        people=await paid(tx, run.client_id, employee_ids),
        due=[one for one in pays if one.employee_id not in held],
        withheld=[one for one in pays if one.employee_id in held and one.released_at is None],
        released=[one for one in pays if one.employee_id in held and one.released_at is not None],
        created=max((one.finalised_at for one in pays), default=NEVER).astimezone(SINGAPORE),
    )
