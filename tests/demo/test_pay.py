"""What the demo's people are paid: the same for the same seed and place, and always something that can be entered."""

from collections import Counter
from collections.abc import Iterator
from datetime import date

from gaji.core.validation import Errors
from gaji.demo.calendar import first_day, waves
from gaji.demo.jobs import JOBS
from gaji.demo.pay import EXTRAS, LEAST_SALARY, SIX_DAYS, Calculations, Pay, Terms, pay, varying
from gaji.demo.people import Body, Facts, people
from gaji.demo.roster import ROSTER
from gaji.engine import catalogue
from gaji.engine.catalogue import ItemDefinition, Treatment
from gaji.engine.periods import schedule_from_first_end
from gaji.engine.regular_hours import work_week
from gaji.law.quantities import MILLI
from gaji.payroll.calculations import input_parsing
from gaji.payroll.calculations.input_parsing import FieldPath

TODAY = date(2026, 11, 15)
FACTS = Facts(
    today=TODAY,
    waves={"monthly": 1, "twice_a_month": 2, "fortnightly": 3, "weekly": 4},
    pay_points=(1, 2, 3),
    uniform_field=7,
    uniform_sizes=(11, 12, 13, 14),
    locker_field=8,
)
TERMS = Terms(
    since=date(2026, 8, 1),
    waves={wave_id: frequency for frequency, wave_id in FACTS.waves.items()},
    nights="21",
    incentive="22",
)
CATALOGUE = catalogue.build_catalogue(
    [
        ItemDefinition(21, "Night shift", "allowance", "rate_quantity", Treatment()),
        ItemDefinition(22, "Productivity incentive", "income", "percentage", Treatment(), percentage_of=("basic_salary",)),
    ]
)
MANY = 2000
OCTOBER, DECEMBER = date(2026, 10, 31), date(2026, 12, 31)


def everyone(count: int = MANY, seed: int = 1) -> Iterator[tuple[int, Body, Pay]]:
    for place, person in enumerate(people(seed, count, FACTS)):
        yield place, person, pay(seed, place, person, TERMS)


def faults(level: str, calculations: Calculations) -> Errors:
    found: Errors = {}
    for name, inputs in calculations.items():
        input_parsing.parse_inputs(CATALOGUE.types[name], FieldPath(level, name), inputs, found)
    return found


def test_all_of_it_can_be_entered() -> None:
    for place, person, own in everyone():
        assert not faults("employee", own.calculations)
        for end in (OCTOBER, DECEMBER):
            assert not faults("payslip", varying(1, place, person, end, TERMS))


def test_nobody_has_an_input_and_what_excludes_it() -> None:
    for place, person, own in everyone():
        for entered in (own.calculations, varying(1, place, person, DECEMBER, TERMS)):
            for name, inputs in entered.items():
                assert len(inputs.keys() & set(CATALOGUE.types[name].alternatives)) < 2


def test_the_same_seed_and_place_give_the_same_however_many_there_are() -> None:
    few, many = list(everyone(100)), list(everyone(300))
    assert few == many[:100]
    varied = [[varying(1, place, person, OCTOBER, TERMS) for place, person, _ in some] for some in (few, many)]
    assert varied[0] == varied[1][:100]


def test_another_seed_pays_otherwise() -> None:
    one, other = ([own.calculations for *_, own in everyone(100, seed)] for seed in (1, 2))
    assert one != other


def test_what_varies_varies_from_payslip_to_payslip() -> None:
    ends = [date(2026, month, 28) for month in (8, 9, 10)]
    entered = [[varying(1, place, person, end, TERMS) for place, person, _ in everyone(200)] for end in ends]
    assert entered[0] != entered[1] != entered[2]


def test_every_deduction_is_somebodys_and_nobody_has_them_all() -> None:
    having = Counter(name for *_, own in everyone() for name in own.calculations)
    for name, extra in EXTRAS.items():
        assert 0 < having[name] < 2 * extra.percent / 100 * MANY


def test_balances_go_down_from_the_first_day_that_is_paid() -> None:
    starts = {
        own.calculations[name]["start_date"]
        for *_, own in everyone()
        for name in ("loan", "savings", "salary_advance", "garnishee")
        if name in own.calculations
    }
    assert starts == {"2026-08-01"}


def test_salaries_are_what_the_pass_needs_and_the_job_pays() -> None:
    for place, person, own in everyone():
        basic = own.calculations.get("basic_salary", {})
        if person["wave_id"] != FACTS.waves["monthly"] or not basic or place < len(ROSTER):
            continue
        salary, job = float(basic["fixed_amount"]), JOBS[person["job_title"]]
        assert salary >= LEAST_SALARY.get(person.get("work_pass", ""), 0)
        if person["legal_status"] == "CITIZEN":
            assert job.salary[0] - 50 < salary <= job.salary[1]


def test_directors_get_a_fee_and_no_salary() -> None:
    directors = [(place, person, own) for place, person, own in everyone(60) if person["job_title"] == "Director"]
    assert directors
    for place, person, own in directors:
        assert own.calculations.keys() == {"directors_fee"}
        assert not varying(1, place, person, OCTOBER, TERMS)


def test_december_brings_a_wage_supplement_to_whoever_is_paid_monthly() -> None:
    for place, person, own in everyone(300):
        if "basic_salary" in own.calculations:
            monthly = person["wave_id"] == FACTS.waves["monthly"]
            assert ("annual_wage_supplement" in varying(1, place, person, DECEMBER, TERMS)) == monthly
        assert "annual_wage_supplement" not in varying(1, place, person, OCTOBER, TERMS)


def test_whoever_is_casual_has_hours_on_every_payslip() -> None:
    [place] = [place for place, archetype in enumerate(ROSTER) if archetype.is_casual]
    person = list(people(1, place + 1, FACTS))[place]
    for end in (OCTOBER, DECEMBER):
        assert int(varying(1, place, person, end, TERMS)["basic_salary"]["hours_input"]) > 0


def test_shifts_have_44_hours_a_week() -> None:
    assert sum(work_week(dict(SIX_DAYS), 4).millihours) == 44 * MILLI


def test_the_first_period_of_every_wave_is_the_first_to_end_in_the_first_month() -> None:
    for months in range(25):
        since = first_day(TODAY, months)
        for frequency, wave in waves(since).items():
            first_end = date.fromisoformat(wave["first_end_date"])
            days = (wave.get(name) for name in ("last_day_of_month", "interim_day_of_month"))
            schedule = schedule_from_first_end(frequency, first_end, *days)
            before = schedule.end(schedule.offset(first_end) - 1)
            assert (first_end.year, first_end.month) == (since.year, since.month)
            assert before < since
