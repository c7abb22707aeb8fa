"""The pay of the demo employees: the same for the same seed and index, and always valid."""

from collections import Counter
from collections.abc import Iterator
from datetime import date

from gaji.core.errors import Errors
from gaji.demo.calendar import first_day, wave_bodies
from gaji.demo.jobs import JOBS
from gaji.demo.pay import (
    MIN_SALARY,
    OPTIONAL_DEDUCTIONS,
    SIX_DAYS,
    Calculations,
    CompanyPayTerms,
    PayPlan,
    plan_pay,
    plan_period_pay,
)
from gaji.demo.people import CompanyContext, EmployeeBody, generate_people
from gaji.demo.roster import ROSTER
from gaji.engine import catalogue
from gaji.engine.catalogue import ItemDefinition, Treatment
from gaji.engine.periods import schedule_from_first_end
from gaji.engine.regular_hours import work_week
from gaji.law.quantities import MILLI
from gaji.payroll.calculations import input_parsing
from gaji.payroll.calculations.input_parsing import FieldPath

TODAY = date(2026, 11, 15)
CONTEXT = CompanyContext(
    today=TODAY,
    waves={"monthly": 1, "twice_a_month": 2, "fortnightly": 3, "weekly": 4},
    pay_points=(1, 2, 3),
    uniform_field=7,
    uniform_sizes=(11, 12, 13, 14),
    locker_field=8,
)
TERMS = CompanyPayTerms(
    since=date(2026, 8, 1),
    waves={wave_id: frequency for frequency, wave_id in CONTEXT.waves.items()},
    first_days={1: date(2026, 8, 1), 2: date(2026, 8, 1), 3: date(2026, 7, 20), 4: date(2026, 7, 27)},
    nights="21",
    incentive="22",
)
CATALOGUE = catalogue.build_catalogue(
    [
        ItemDefinition(21, "Night shift", "allowance", "rate_quantity", Treatment()),
        ItemDefinition(
            22, "Productivity incentive", "income", "percentage", Treatment(), percentage_of=("basic_salary",)
        ),
    ]
)
MANY = 2000
OCTOBER, DECEMBER = date(2026, 10, 31), date(2026, 12, 31)


def plan_everyone(count: int = MANY, seed: int = 1) -> Iterator[tuple[int, EmployeeBody, PayPlan]]:
    for index, employee in enumerate(generate_people(seed, count, CONTEXT)):
        yield index, employee, plan_pay(seed, index, employee, TERMS)


def validate(level: str, calculations: Calculations) -> Errors:
    errors = Errors()
    for name, inputs in calculations.items():
        input_parsing.parse_inputs(CATALOGUE.types[name], FieldPath(level, name), inputs, errors)
    return errors


def test_all_calculations_are_valid() -> None:
    for index, employee, plan in plan_everyone():
        assert not validate("employee", plan.calculations)
        for end in (OCTOBER, DECEMBER):
            assert not validate("payslip", plan_period_pay(1, index, employee, end, TERMS))


def test_no_calculation_has_inputs_that_exclude_each_other() -> None:
    for index, employee, plan in plan_everyone():
        for calculations in (plan.calculations, plan_period_pay(1, index, employee, DECEMBER, TERMS)):
            for name, inputs in calculations.items():
                assert len(inputs.keys() & set(CATALOGUE.types[name].alternatives)) < 2


def test_pay_does_not_depend_on_the_number_of_employees() -> None:
    few, many = list(plan_everyone(100)), list(plan_everyone(300))
    assert few == many[:100]
    varied = [
        [plan_period_pay(1, index, employee, OCTOBER, TERMS) for index, employee, _ in batch] for batch in (few, many)
    ]
    assert varied[0] == varied[1][:100]


def test_another_seed_gives_different_pay() -> None:
    first, second = ([plan.calculations for *_, plan in plan_everyone(100, seed)] for seed in (1, 2))
    assert first != second


def test_period_pay_varies_between_payslips() -> None:
    ends = [date(2026, month, 28) for month in (8, 9, 10)]
    entered = [
        [plan_period_pay(1, index, employee, end, TERMS) for index, employee, _ in plan_everyone(200)] for end in ends
    ]
    assert entered[0] != entered[1] != entered[2]


def test_every_optional_deduction_occurs_about_as_often_as_planned() -> None:
    having = Counter(name for *_, plan in plan_everyone() for name in plan.calculations)
    for name, deduction in OPTIONAL_DEDUCTIONS.items():
        assert 0 < having[name] < 2 * deduction.percent / 100 * MANY


def test_tracked_items_start_on_the_first_paid_day() -> None:
    starts = {
        plan.calculations[name]["start_date"]
        for *_, plan in plan_everyone()
        for name in ("loan", "savings", "salary_advance", "garnishee")
        if name in plan.calculations
    }
    assert starts == {"2026-08-01"}


def test_salaries_match_the_pass_and_the_job() -> None:
    for index, employee, plan in plan_everyone():
        basic = plan.calculations.get("basic_salary", {})
        if employee["wave_id"] != CONTEXT.waves["monthly"] or not basic or index < len(ROSTER):
            continue
        salary, job = float(basic["fixed_amount"]), JOBS[employee["job_title"]]
        assert salary >= MIN_SALARY.get(employee.get("work_pass", ""), 0)
        if employee["legal_status"] == "CITIZEN":
            assert job.salary[0] - 50 < salary <= job.salary[1]


def test_directors_get_a_fee_and_no_salary() -> None:
    directors = [
        (index, employee, plan) for index, employee, plan in plan_everyone(60) if employee["job_title"] == "Director"
    ]
    assert directors
    for index, employee, plan in directors:
        assert plan.calculations.keys() == {"directors_fee"}
        assert not plan_period_pay(1, index, employee, OCTOBER, TERMS)


def test_monthly_employees_get_a_wage_supplement_in_december() -> None:
    for index, employee, plan in plan_everyone(300):
        if "basic_salary" in plan.calculations:
            monthly = employee["wave_id"] == CONTEXT.waves["monthly"]
            assert ("annual_wage_supplement" in plan_period_pay(1, index, employee, DECEMBER, TERMS)) == monthly
        assert "annual_wage_supplement" not in plan_period_pay(1, index, employee, OCTOBER, TERMS)


def test_casual_employees_have_hours_on_every_payslip() -> None:
    [index] = [index for index, archetype in enumerate(ROSTER) if archetype.is_casual]
    employee = list(generate_people(1, index + 1, CONTEXT))[index]
    for end in (OCTOBER, DECEMBER):
        assert int(plan_period_pay(1, index, employee, end, TERMS)["basic_salary"]["hours_input"]) > 0


def test_shifts_have_44_hours_a_week() -> None:
    assert sum(work_week(dict(SIX_DAYS), 4).millihours) == 44 * MILLI


def test_the_first_period_of_every_wave_ends_in_the_first_month() -> None:
    for months in range(25):
        since = first_day(TODAY, months)
        for frequency, wave in wave_bodies(since).items():
            first_end = date.fromisoformat(wave["first_end_date"])
            days = (wave.get(name) for name in ("last_day_of_month", "interim_day_of_month"))
            schedule = schedule_from_first_end(frequency, first_end, *days)
            before = schedule.end(schedule.offset(first_end) - 1)
            assert (first_end.year, first_end.month) == (since.year, since.month)
            assert before < since
