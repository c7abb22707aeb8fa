"""Random histories of pay in which the truth is known in time, or comes late and is corrected."""

import random
from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from msgspec.structs import replace

from gaji.engine import batch
from gaji.engine.batch import BatchResult
from gaji.engine.catalogue import build_catalogue
from gaji.engine.line_decoder import decode_line_columns
from gaji.engine.payslip_input import (
    CalculationEntry,
    EmployeeDetails,
    PastDifference,
    PayPeriod,
    PayslipInput,
    ServiceInterval,
)
from gaji.law import registry
from gaji.payroll.corrections.current_inputs import CurrentKnowledge
from gaji.payroll.corrections.differences import EarlierCorrections, PayslipComparison, compute_differences
from gaji.payroll.corrections.past_payslips import PastPayslip, own_months
from gaji.payroll.payslips.draft_periods import PeriodKey
from tests.engine.payslip_history import PayslipHistory

LAW = registry.load()
CATALOGUE = build_catalogue()
EMPLOYEE_FIGURES = ("cpf_employee", "cdac", "ecf", "mbmf", "sinda")
CONTRIBUTIONS = (*EMPLOYEE_FIGURES, "cpf_employer", "sdl")
WAGES = ("ordinary", "additional", "ordinary_subject", "additional_subject", "remuneration", "fund_wages")
SALARY, TRANSPORT, BONUS, UNPAID = "basic_salary", "transport_allowance", "bonus", "unpaid_leave"


@dataclass(frozen=True)
class Knowledge:
    """What is recorded about an employee."""

    employee: EmployeeDetails
    service: ServiceInterval
    salary: str
    raised: str
    """The salary from `raised_from` on."""
    raised_from: date
    transport: str
    unpaid_days: Mapping[int, int]
    """By the number of the period."""


@dataclass
class Paid:
    """The payslips of one employee, as they were paid."""

    history: PayslipHistory
    payslips: list[PayslipInput] = field(default_factory=list)
    results: list[BatchResult] = field(default_factory=list)

    @property
    def nett_cents(self) -> int:
        """The sum of nett pay."""
        return sum(int(result.nett_cents[0]) for result in self.results)

    def pay(self, payslip: PayslipInput) -> BatchResult:
        """Calculate and add the next payslip."""
        result = batch.calculate(LAW, CATALOGUE, [payslip])
        self.payslips.append(payslip)
        self.results.append(result)
        self.history.add(
            payslip,
            {name: int(column[0]) for name, column in result.totals.items()},
            result.instalments_cents.get(0, {}),
            result.carried_forward_cents.get(0, {}),
            {name: int(column[0]) for name, column in result.previous_totals.items()},
            result.past_totals.get(0, {}),
        )
        return result

    def income_cents(self) -> int:
        """The sum of all income less unpaid leave."""
        total = 0
        for result in self.results:
            for (section, item), column in decode_line_columns(result.lines_json).items():
                total += int(column.amounts[0]) if section == "income" else 0
                total -= int(column.amounts[0]) if item in (UNPAID, "overpaid_wages") else 0
        return total


@dataclass(frozen=True)
class Story:
    """What was known, what was true, the bonuses, and when the truth came out."""

    known: Knowledge
    truth: Knowledge
    first: tuple[int, int]
    months: int
    told_after: int
    """The number of payslips that were finalised before the truth came out."""
    bonuses: Mapping[int, str]


def random_story(seed: int) -> Story:
    """A different story for each seed: one or two things were recorded wrongly."""
    rng = random.Random(seed)
    months = rng.randint(4, 10)
    truth = _truth(rng, months)
    known = truth
    for _ in range(rng.randint(1, 2)):
        known = _mistake(rng, known, months)
    told_after = rng.randint(1, months - 1)
    bonuses = {rng.randrange(months): str(rng.choice((500, 8000, 40000))) + ".00" for _ in range(rng.randint(0, 2))}
    return Story(known, truth, (2025, rng.randint(1, 9)), months, told_after, bonuses)


def _truth(rng: random.Random, months: int) -> Knowledge:
    status = rng.choice(("CITIZEN", "CITIZEN", "PR", "FOREIGNER"))
    employee = EmployeeDetails(
        birthdate=date(rng.choice((1990, 1970, 1971, 1965, 1960)), rng.randint(1, 12), rng.randint(1, 28)),
        legal_status=status,
        pr_date=date(rng.choice((2015, 2023, 2024)), rng.randint(1, 12), 10) if status == "PR" else None,
        race=rng.choice(("CHINESE", "INDIAN", "EURASIAN", "MALAY", "OTHER")),
        work_pass="EP" if status == "FOREIGNER" else None,
    )
    salary = rng.choice((400, 640, 1500, 3300, 5200, 7600, 9000))
    return Knowledge(
        employee,
        ServiceInterval(date(2024, 1, 1)),
        f"{salary}.00",
        f"{salary + rng.choice((0, 110, 1200))}.00",
        date(2025, rng.randint(2, 12), rng.choice((1, 16))),
        rng.choice(("0.00", "150.00")),
        {rng.randrange(months): rng.randint(1, 4)} if rng.random() < 0.3 else {},
    )


def _mistake(rng: random.Random, known: Knowledge, months: int) -> Knowledge:
    """Record one thing wrongly."""
    match rng.randrange(5):
        case 0:
            return Knowledge(**{**vars(known), "raised": known.salary})
        case 1:
            other = replace(known.employee, legal_status="FOREIGNER", pr_date=None, work_pass="EP")
            return Knowledge(**{**vars(known), "employee": other})
        case 2:
            race = rng.choice(("CHINESE", "INDIAN", "EURASIAN", "MALAY", "OTHER"))
            return Knowledge(**{**vars(known), "employee": replace(known.employee, race=race)})
        case 3:
            days = {} if known.unpaid_days else {rng.randrange(months): rng.randint(1, 5)}
            return Knowledge(**{**vars(known), "unpaid_days": days})
    return Knowledge(**{**vars(known), "transport": rng.choice(("0.00", "100.00", "260.00"))})


def pay_in_time(story: Story) -> Paid:
    """Pay all months with the truth."""
    paid = Paid(PayslipHistory([story.truth.service]))
    for number in range(story.months):
        paid.pay(payslip_input(story, paid, story.truth, number))
    return paid


def pay_late(story: Story, *, pay_is_missed: bool) -> tuple[Paid, list[PastDifference]]:
    """Pay with what was known, then correct it on the first payslip after the truth came out."""
    paid = Paid(PayslipHistory([story.truth.service]))
    for number in range(story.told_after):
        paid.pay(payslip_input(story, paid, story.known, number))
    differences = open_differences(story, paid, EarlierCorrections(), pay_is_missed=pay_is_missed)
    agreed = [replace(difference, recovers_share=True) for difference in differences]
    for number in range(story.told_after, story.months):
        payslip = payslip_input(story, paid, story.truth, number)
        paid.pay(replace(payslip, past_differences=agreed if number == story.told_after else []))
    return paid, agreed


def open_differences(
    story: Story, paid: Paid, earlier: EarlierCorrections, *, pay_is_missed: bool
) -> list[PastDifference]:
    """Compare what was paid with the truth."""
    comparisons = []
    for number, (stored, result) in enumerate(zip(paid.payslips, paid.results, strict=True)):
        payslip = past_payslip(number, stored, result)
        current = replace(
            stored,
            employee=story.truth.employee,
            calculations=entries(story, story.truth, number),
            leave=replace(stored.leave, unpaid_days=str(story.truth.unpaid_days.get(number, 0))),
        )
        dates = dict.fromkeys((SALARY, TRANSPORT), date(2020, 1, 1))
        comparisons.append(PayslipComparison(payslip, CurrentKnowledge(payslip, current, dates), CATALOGUE))
    return compute_differences(LAW, comparisons, earlier, pay_is_missed=pay_is_missed)


def past_payslip(number: int, stored: PayslipInput, result: BatchResult) -> PastPayslip:
    """A payslip as it is loaded from the database."""
    columns = decode_line_columns(result.lines_json)
    return PastPayslip(
        id=number + 1,
        employee_id=1,
        period=PeriodKey(1, number),
        special=False,
        stored=stored,
        catalogue_version=CATALOGUE.version,
        lines={item: int(column.amounts[0]) for (_, item), column in columns.items()},
        months=own_months(
            stored.period.end,
            {name: int(column[0]) for name, column in result.totals.items()},
            {},
            result.past_totals.get(0, {}),
        ),
    )


def payslip_input(story: Story, paid: Paid, knowledge: Knowledge, number: int) -> PayslipInput:
    """The input of a payslip with what is known."""
    payslip = paid.history.next_input(
        period(story, number), knowledge.employee, entries(story, knowledge, number), knowledge.service.end
    )
    days = str(knowledge.unpaid_days.get(number, 0))
    return replace(payslip, leave=replace(payslip.leave, unpaid_days=days))


def period(story: Story, number: int) -> PayPeriod:
    """A month of the story."""
    year, month = divmod(story.first[0] * 12 + story.first[1] - 1 + number, 12)
    last = date(year, month + 1, monthrange(year, month + 1)[1])
    return PayPeriod(last.replace(day=1), last, last)


def entries(story: Story, knowledge: Knowledge, number: int) -> dict[str, CalculationEntry]:
    """The calculations of a month with what is known."""
    end = period(story, number).end
    salary = knowledge.raised if end >= knowledge.raised_from else knowledge.salary
    found = {
        SALARY: CalculationEntry({"fixed_amount": salary}),
        TRANSPORT: CalculationEntry({"amount": knowledge.transport}),
    }
    if number in story.bonuses:
        found[BONUS] = CalculationEntry({"amount": story.bonuses[number]}, recurring=False)
    if days := knowledge.unpaid_days.get(number):
        found[UNPAID] = CalculationEntry({"days": str(days)}, recurring=False)
    return found


def months_of(story: Story) -> Sequence[tuple[int, int]]:
    """The calendar months of a story."""
    return [(period(story, number).end.year, period(story, number).end.month) for number in range(story.months)]


def claimed_back(differences: Sequence[PastDifference], names: Sequence[str]) -> int:
    """The contributions that were paid too much, in cents."""
    return sum(
        max(figures[name].paid - figures[name].due, 0)
        for difference in differences
        for figures in difference.months.values()
        for name in names
        if name in figures
    )
