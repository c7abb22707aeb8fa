"""Random histories of pay in which the truth is known in time, or comes late and is corrected.

Thousands of histories are calculated together, month by month, without a database. Finalised payslips are compared by
the functions that the API uses.
"""

import random
from calendar import monthrange
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cache

from msgspec.structs import replace as replace_struct

from gaji.engine import batch
from gaji.engine.catalogue import build_catalogue
from gaji.engine.line_decoder import decode_line_columns
from gaji.engine.payslip_input import (
    AdditionalWages,
    CalculationEntry,
    EmployeeDetails,
    EntryPart,
    LeaveEffects,
    MonthToDate,
    PastDifference,
    PayPeriod,
    PayslipInput,
    ServiceInterval,
    YearToDate,
)
from gaji.law.months import Month
from gaji.payroll.corrections.current_inputs import CurrentKnowledge
from gaji.payroll.corrections.differences import EarlierCorrections, PayslipComparison, compute_differences
from gaji.payroll.corrections.past_payslips import PastPayslip, own_months
from gaji.payroll.payslips.build_inputs import add_leave_entries
from gaji.payroll.payslips.draft_periods import PeriodKey, served_whole_month
from gaji.payroll.snapshots.queries import EntryChange, PayslipEntry
from tests.support.law import LAW

CATALOGUE = build_catalogue()
A_DAY = timedelta(days=1)
SALARY, TRANSPORT, BONUS, UNPAID = "basic_salary", "transport_allowance", "bonus", "unpaid_leave"
FUNDS = ("cdac", "ecf", "mbmf", "sinda")
OVERTIME, HOURS = "overtime_hours_input", "hours_input"
RACES = ("CHINESE", "INDIAN", "EURASIAN", "MALAY", "OTHER")
MAX_ID = 100


@dataclass(frozen=True)
class Knowledge:
    """What is recorded about an employee."""

    employee: EmployeeDetails
    service: ServiceInterval
    hourly: bool
    salary: int
    """In dollars, for a month or an hour."""
    raised: int
    """The salary from `raised_from` on."""
    raised_from: date
    transport: int
    opted_out: bool
    """Whether the employee opted out of the funds."""
    hours: Mapping[int, int]
    """Overtime hours, or the hours of an hourly-rated employee, by the number of the month."""
    unpaid: Mapping[int, Sequence[int]]
    """Days of the month with unpaid leave, by the number of the month."""
    bonuses: Mapping[int, int]
    excess: Mapping[int, int] = field(default_factory=dict)
    """Days of annual leave beyond the entitlement, by the number of the month in which they were taken."""
    holidays_off: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """Days of the month that are public holidays on a day off, which are paid, by the number of the month."""

    def serves(self, period: PayPeriod) -> bool:
        """Whether the employee is in service on a day of the period."""
        return self.service.start <= period.end and (self.service.end or date.max) >= period.start


@dataclass(frozen=True)
class Story:
    """What was recorded, what was true, and when the truth came out."""

    seed: int
    known: Knowledge
    truth: Knowledge
    first: Month
    months: int
    told_after: int
    """The number of months that were finalised before the truth came out."""

    @property
    def has_pay_change(self) -> bool:
        """Whether the recurring pay was recorded wrongly."""
        known, truth = self.known, self.truth
        pay = [(one.salary, one.raised, one.raised_from, one.transport) for one in (known, truth)]
        return pay[0] != pay[1]

    @property
    def has_dated_salary(self) -> bool:
        """Whether the salary changes on a date, or was recorded wrongly."""
        return self.has_pay_change or self.truth.raised != self.truth.salary

    def period(self, number: int) -> PayPeriod:
        """A month of the story."""
        return _month_period(self.first, number)


@cache
def _month_period(first: Month, number: int) -> PayPeriod:
    month = first + number
    return PayPeriod(month.first_day, month.last_day, month.last_day)


@dataclass
class PaidPayslip:
    """A payslip with its results in cents."""

    number: int
    input: PayslipInput
    nett: int
    lines: Mapping[tuple[str, str], int]
    totals: Mapping[str, int]
    past: Mapping[str, Mapping[str, int]]
    carried: dict[str, int]
    remarks: Sequence[str]


@dataclass
class Paid:
    """The payslips of one employee, as they were paid."""

    story: Story
    payslips: list[PaidPayslip] = field(default_factory=list)
    months: dict[Month, dict[str, int]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(int)))
    """The figures of each calendar month, whichever payslips they are on."""
    differences: list[PastDifference] = field(default_factory=list)
    """The differences that were accepted."""

    @property
    def nett(self) -> int:
        """The sum of nett pay."""
        return sum(payslip.nett for payslip in self.payslips)

    @property
    def remarks(self) -> list[str]:
        """What the payslips say about exceptions."""
        return [remark for payslip in self.payslips for remark in payslip.remarks]

    @property
    def carried(self) -> int:
        """What could not be deducted in the end."""
        return sum(self.payslips[-1].carried.values()) if self.payslips else 0

    def income(self) -> int:
        """The sum of all income, less unpaid leave and overpaid wages."""
        reductions = (UNPAID, "overpaid_wages")
        return sum(
            cents * ((section == "income") - (item in reductions))
            for payslip in self.payslips
            for (section, item), cents in payslip.lines.items()
        )

    def figure(self, name: str) -> int:
        """The sum of a figure over all months."""
        return sum(figures[name] for figures in self.months.values())

    def add(self, payslip: PaidPayslip) -> None:
        """Add a payslip, with its figures in the months that they belong to."""
        self.payslips.append(payslip)
        own = own_months(payslip.input.period.end, payslip.totals, {}, payslip.past)
        corrected = {Month.parse(month): figures for month, figures in payslip.past.items()}
        for months in (own, corrected):
            for month, figures in months.items():
                for name, cents in figures.items():
                    self.months[month][name] += cents


# Stories


def random_stories(seeds: Sequence[int]) -> list[Story]:
    """A different story for each seed."""
    return [random_story(seed) for seed in seeds]


def random_story(seed: int) -> Story:
    """A different story for each seed: one or two things were recorded wrongly."""
    rng = random.Random(seed)
    months = rng.randint(3, 9)
    first = Month(2025, rng.randint(1, 11))
    told_after = rng.randint(1, months - 1)
    truth = _truth(rng, first, months)
    known = truth
    for _ in range(rng.randint(1, 2)):
        known = _mistake(rng, Story(seed, known, truth, first, months, told_after))
    story = Story(seed, known, truth, first, months, told_after)
    return _left_unnoticed(story, rng) if rng.random() < 0.1 else story


def _truth(rng: random.Random, first: Month, months: int) -> Knowledge:
    status = rng.choice(("CITIZEN", "CITIZEN", "PR", "FOREIGNER"))
    hourly = rng.random() < 0.2
    salary = rng.choice((4, 12, 30)) if hourly else rng.choice((400, 640, 1500, 3300, 5200, 7600, 9000))
    numbers = range(months)
    return Knowledge(
        employee=_person(rng, status),
        service=ServiceInterval(
            date(2024, 1, 1) if rng.random() < 0.8 else first.first_day + A_DAY * rng.randint(0, 20)
        ),
        hourly=hourly,
        salary=salary,
        raised=salary + (rng.choice((0, 2)) if hourly else rng.choice((0, 110, 1200))),
        raised_from=(first + rng.randrange(months)).first_day + A_DAY * rng.choice((0, 0, 15)),
        transport=rng.choice((0, 150)),
        opted_out=rng.random() < 0.1,
        hours={number: rng.randint(60, 190) for number in numbers} if hourly else _some_hours(rng, months),
        unpaid={rng.randrange(months): _unpaid_days(rng)} if rng.random() < 0.3 and not hourly else {},
        bonuses={rng.randrange(months): rng.choice((500, 8000, 40000)) for _ in range(rng.randint(0, 2))},
    )


def _person(rng: random.Random, status: str) -> EmployeeDetails:
    return EmployeeDetails(
        birthdate=date(rng.choice((1990, 1970, 1971, 1965, 1960)), rng.randint(1, 12), rng.randint(1, 28)),
        legal_status=status,
        pr_date=date(rng.choice((2015, 2023, 2024, 2025)), rng.randint(1, 12), 10) if status == "PR" else None,
        race=rng.choice(RACES),
        work_pass="EP" if status == "FOREIGNER" else None,
    )


def _some_hours(rng: random.Random, months: int) -> dict[int, int]:
    return {rng.randrange(months): rng.randint(1, 30)} if rng.random() < 0.3 else {}


def _unpaid_days(rng: random.Random) -> list[int]:
    first = rng.randint(3, 20)
    return list(range(first, first + rng.randint(1, 4)))


def _mistake(rng: random.Random, story: Story) -> Knowledge:
    """Record one thing wrongly."""
    known = story.known
    changes: Sequence[Callable[[], dict[str, object]]] = (
        lambda: {"raised": known.salary},
        lambda: {"raised_from": known.raised_from + A_DAY * rng.choice((-30, 15, 31))},
        lambda: {"employee": replace_struct(known.employee, legal_status="FOREIGNER", pr_date=None, work_pass="EP")},
        lambda: {"employee": replace_struct(known.employee, race=rng.choice(RACES))},
        lambda: {"unpaid": {} if known.unpaid else {rng.randrange(story.told_after): _unpaid_days(rng)}},
        lambda: {"transport": rng.choice((0, 100, 260))},
        lambda: {"opted_out": not known.opted_out},
        lambda: {"hours": _other_hours(rng, story)},
        lambda: {"service": _other_start(rng, story)},
        lambda: {"service": _other_end(rng, story)},
    )
    return replace(known, **rng.choice(changes)())  # type: ignore[arg-type]


def _other_hours(rng: random.Random, story: Story) -> dict[int, int]:
    number = rng.randrange(story.told_after)
    hours = dict(story.known.hours)
    if story.known.hourly or number not in hours:
        return {**hours, number: rng.randint(1, 40)}
    del hours[number]
    return hours


def _other_start(rng: random.Random, story: Story) -> ServiceInterval:
    """A start in the same month, or in an earlier one."""
    start = story.truth.service.start
    if start < story.first.first_day:
        start = story.first.first_day
    day = rng.randint(1, monthrange(start.year, start.month)[1])
    return ServiceInterval(start.replace(day=day), story.known.service.end)


def _other_end(rng: random.Random, story: Story) -> ServiceInterval:
    """An end in the last paid month was recorded, but the service continues."""
    start = story.known.service.start
    end = story.period(story.told_after - 1).start + A_DAY * rng.randint(9, 26)
    return ServiceInterval(start, max(start, end))


def _left_unnoticed(story: Story, rng: random.Random) -> Story:
    """The story, but the service ended in a month that was paid as a whole."""
    number = rng.randrange(story.told_after)
    end = story.period(number).start + A_DAY * rng.choice((4, 18, (story.first + number).last_day.day - 1))
    if end < story.truth.service.start or end < story.known.service.start:
        return story
    bonuses = {paid: amount for paid, amount in story.truth.bonuses.items() if paid <= number}
    truth = replace(story.truth, service=ServiceInterval(story.truth.service.start, end), bonuses=bonuses)
    return replace(story, truth=truth, known=replace(story.known, bonuses=bonuses))


# Inputs


def entries(story: Story, knowledge: Knowledge, number: int) -> dict[str, CalculationEntry]:
    """The calculations of a month with what is known."""
    calculations = {SALARY: _salary_entry(story, knowledge, number)}
    calculations[TRANSPORT] = CalculationEntry({"amount": f"{knowledge.transport}.00"})
    if knowledge.opted_out:
        calculations |= {fund: CalculationEntry({"opt_out": True}) for fund in FUNDS}
    if number in knowledge.bonuses:
        calculations[BONUS] = CalculationEntry({"amount": f"{knowledge.bonuses[number]}.00"}, recurring=False)
    if dates := unpaid_dates(story, knowledge, number):
        calculations[UNPAID] = CalculationEntry({"days": str(len(dates))}, recurring=False)
    return calculations


def _salary_entry(story: Story, knowledge: Knowledge, number: int) -> CalculationEntry:
    period = story.period(number)
    first = max(period.start, knowledge.service.start)
    last = min(period.end, knowledge.service.end or date.max)
    entered = payslip_entry(knowledge, number)

    def inputs(salary: int) -> dict[str, str | bool]:
        name = "hourly_rate" if knowledge.hourly else "fixed_amount"
        pay_type = "hourly" if knowledge.hourly else "monthly"
        return {"pay_type": pay_type, name: f"{salary}.00", **(entered.inputs if entered else {})}

    if not first < knowledge.raised_from <= last or knowledge.raised == knowledge.salary:
        return CalculationEntry(inputs(knowledge.raised if knowledge.raised_from <= last else knowledge.salary))
    parts = [
        EntryPart(first, inputs(knowledge.salary)),
        EntryPart(knowledge.raised_from, inputs(knowledge.raised)),
    ]
    return CalculationEntry(inputs(knowledge.raised), parts=parts)


def payslip_entry(knowledge: Knowledge, number: int) -> PayslipEntry | None:
    """What was entered for the basic salary of one payslip."""
    if number not in knowledge.hours:
        return None
    return PayslipEntry({HOURS if knowledge.hourly else OVERTIME: str(knowledge.hours[number])})


def unpaid_dates(story: Story, knowledge: Knowledge, number: int) -> list[str]:
    """The working days of unpaid leave in a month, within the service."""
    month, service = story.first + number, knowledge.service
    days = [date(month.year, month.month, day) for day in knowledge.unpaid.get(number, ())]
    return [
        day.isoformat()
        for day in days
        if day.weekday() < 5 and day not in LAW.holidays.names and service.start <= day <= (service.end or date.max)
    ]


def payslip_input(paid: Paid, knowledge: Knowledge, number: int) -> PayslipInput:
    """The input of a payslip with what is known, and the totals of the payslips before it."""
    story = paid.story
    period, month = story.period(number), story.first + number
    serves = knowledge.serves(period)
    end = knowledge.service.end
    left = end is not None and end <= period.end
    year = _year_to_date(paid, month)
    before = month + -1
    unpaid = unpaid_dates(story, knowledge, number)
    leave = LeaveEffects(
        unpaid_days=str(len(unpaid)),
        unpaid_dates=dict.fromkeys(unpaid, "1"),
        excess_days={str(story.first + taken): str(days) for taken, days in knowledge.excess.items() if left},
        holidays_off={
            str(period.start.replace(day=day)): "Public holiday" for day in knowledge.holidays_off.get(number, ())
        },
    )
    served_before = served_whole_month([knowledge.service], before.first_day, before.last_day)
    return PayslipInput(
        period=period,
        employee=knowledge.employee,
        service=[knowledge.service] if serves else [],
        calculations=add_leave_entries(entries(story, knowledge, number), leave) if serves else {},
        last_service_date=end if left else None,
        month_to_date=MonthToDate(**{name: cents for name, cents in paid.months[month].items() if cents}),
        year_to_date=year,
        last_month_ordinary_cents=paid.months[before]["ordinary"] if served_before else 0,
        additional_by_month=_additional(paid, month) if year.additional and (month.month == 12 or left) else {},
        carried_forward_cents=paid.payslips[-1].carried if paid.payslips else {},
        leave=leave,
        prorates_gross_rate=True,
    )


def _year_to_date(paid: Paid, month: Month) -> YearToDate:
    earlier = [figures for other, figures in paid.months.items() if other.year == month.year and other < month]
    return YearToDate(*(sum(figures[name] for figures in earlier) for name in YearToDate.__struct_fields__))


def _additional(paid: Paid, month: Month) -> dict[str, AdditionalWages]:
    wages = {
        str(other): AdditionalWages(figures["additional"], figures["additional_subject"])
        for other, figures in sorted(paid.months.items())
        if other.year == month.year and other < month
    }
    return {text: additional for text, additional in wages.items() if additional != AdditionalWages()}


# Pay


def pay_in_time(stories: Sequence[Story]) -> list[Paid]:
    """Pay all months of each story with the truth."""
    paid = [Paid(story) for story in stories]
    for due in _by_month(paid):
        serving = [(one, number) for one, number in due if one.story.truth.serves(one.story.period(number))]
        _pay([(one, number, payslip_input(one, one.story.truth, number)) for one, number in serving])
    return paid


def pay_late(stories: Sequence[Story], *, pay_is_missed: bool, recovers_share: bool = True) -> list[Paid]:
    """Pay with what was known, then correct it on the first payslip after the truth came out."""
    paid = [Paid(story) for story in stories]
    for due in _by_month(paid):
        told = [one for one, number in due if number == one.story.told_after]
        for one, differences in zip(told, open_differences(told, pay_is_missed=pay_is_missed), strict=True):
            one.differences = [replace_struct(difference, recovers_share=recovers_share) for difference in differences]
        payslips = []
        for one, number in due:
            story = one.story
            knowledge = story.known if number < story.told_after else story.truth
            accepted = one.differences if number == story.told_after else []
            if accepted or knowledge.serves(story.period(number)):
                payslip = payslip_input(one, knowledge, number)
                payslips.append((one, number, replace_struct(payslip, past_differences=accepted)))
        _pay(payslips)
    return paid


def _by_month(paid: Sequence[Paid]) -> list[list[tuple[Paid, int]]]:
    """The employees who are paid in each calendar month, with the number of the month in their story."""
    by_month: dict[date, list[tuple[Paid, int]]] = defaultdict(list)
    for one in paid:
        for number in range(one.story.months):
            by_month[one.story.period(number).end].append((one, number))
    return [by_month[day] for day in sorted(by_month)]


def _pay(payslips: Sequence[tuple[Paid, int, PayslipInput]]) -> None:
    """Calculate payslips of the same month."""
    if not payslips:
        return
    result = batch.calculate(LAW, CATALOGUE, [payslip for _, _, payslip in payslips])
    lines: list[dict[tuple[str, str], int]] = [{} for _ in payslips]
    for (section, item), column in decode_line_columns(result.lines_json).items():
        for index, cents in zip(column.payslips.tolist(), column.amounts.tolist(), strict=True):
            lines[index][section.value, item] = cents
    totals = {name: column.tolist() for name, column in result.totals.items()}
    for index, (paid, number, payslip) in enumerate(payslips):
        paid.add(
            PaidPayslip(
                number,
                payslip,
                int(result.nett_cents[index]),
                lines[index],
                {name: column[index] for name, column in totals.items()},
                result.past_totals.get(index, {}),
                dict(result.carried_forward_cents.get(index, {})),
                result.remarks.get(index, []),
            )
        )


def open_differences(
    paid: Sequence[Paid], earlier: EarlierCorrections | None = None, *, pay_is_missed: bool
) -> list[list[PastDifference]]:
    """Compare what was paid with the truth."""
    comparisons = [
        _comparison(employee_id, one, payslip) for employee_id, one in enumerate(paid) for payslip in one.payslips
    ]
    found = compute_differences(LAW, comparisons, earlier or EarlierCorrections(), pay_is_missed=pay_is_missed)
    return [found.get(employee_id, []) for employee_id in range(len(paid))]


def _comparison(employee_id: int, paid: Paid, payslip: PaidPayslip) -> PayslipComparison:
    past = PastPayslip(
        id=employee_id * MAX_ID + payslip.number,
        employee_id=employee_id,
        period=PeriodKey(1, payslip.number),
        special=False,
        stored=payslip.input,
        catalogue_version=CATALOGUE.version,
        lines={item: cents for (_, item), cents in payslip.lines.items()},
        months=own_months(payslip.input.period.end, payslip.totals, {}, payslip.past),
    )
    return PayslipComparison(past, _current_knowledge(paid, payslip, past), CATALOGUE)


def _current_knowledge(paid: Paid, payslip: PaidPayslip, past: PastPayslip) -> CurrentKnowledge:
    """Today's inputs of a payslip, as they are loaded from the database."""
    story, number = paid.story, payslip.number
    known = story.known if number < story.told_after else story.truth
    current = payslip_input(paid, story.truth, number)
    frozen, live = payslip_entry(known, number), payslip_entry(story.truth, number)
    late = {SALARY: EntryChange(frozen, live)} if frozen != live else {}
    dated = (TRANSPORT, *FUNDS, *((SALARY,) if story.has_dated_salary else ()))
    dates = dict.fromkeys(dated, date(2020, 1, 1))
    return CurrentKnowledge(past, current, dates, late)
