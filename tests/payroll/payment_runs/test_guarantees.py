"""Guarantees of payment runs, for random companies."""

from datetime import date
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gaji.law.check_letter import letter
from tests.payroll.payment_runs.guarantees import check_run
from tests.payroll.payment_runs.runs import done, opened, payslips
from tests.payroll.payment_runs.test_two_years import replayed
from tests.payroll.payslips.slips import enter
from tests.support.company import TWICE_A_MONTH, WEEKLY, Company, attributes, new_nric, of_status
from tests.support.running import Service, created

WAVES = {"monthly": "2026-01-31", "twice_a_month": "2026-01-15", "weekly": "2026-01-02"}
STATUSES = ("CITIZEN", "CITIZEN", "PR", "FOREIGNER", "FD_OTHER")
ITEMS = ("transport_allowance", "meal_allowance", "insurance", "donation", "other_deduction", "annual_bonus")

cents = st.integers(1, 1_500_000).map(lambda amount: f"{amount // 100}.{amount % 100:02d}")
people = st.fixed_dictionaries(
    {
        "legal_status": st.sampled_from(STATUSES),
        "race": st.sampled_from(["CHINESE", "INDIAN", "MALAY", "EURASIAN"]),
        "birthdate": st.dates(min_value=date(1950, 1, 1), max_value=date(2006, 1, 1)).map(str),
        "frequency": st.sampled_from(list(WAVES)),
        "appointment_date": st.sampled_from(["2026-01-01", "2026-01-02", "2026-01-05", "2026-01-20"]),
        "salary": cents,
        "items": st.dictionaries(st.sampled_from(ITEMS), cents, max_size=4),
    }
)


@given(st.lists(people, min_size=1, max_size=6))
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_runs_equal_the_sum_of_their_payslips_and_each_payslip_equals_its_own_calculation(
    service: Service, crew: list[dict[str, Any]]
) -> None:
    company = Company.of(service.new_account())
    waves = {
        "monthly": company.wave_id,
        "twice_a_month": company.wave(**TWICE_A_MONTH),
        "weekly": company.wave(**WEEKLY),
    }
    for number, person in enumerate(crew):
        hire(company, waves, number, person)
    for frequency, wave_id in waves.items():
        if not any(person["frequency"] == frequency and begins_by(person) for person in crew):
            continue
        run_id = opened(company, WAVES[frequency], wave_id=wave_id)
        check_run(company, run_id)
        before = payslips(company, run_id)
        done(company, run_id, "finalise")
        check_run(company, run_id)
        done(company, run_id, "unfinalise")
        assert payslips(company, run_id) == before
    rows = service.as_owner(
        "SELECT id, lines::text FROM payslips WHERE client_id = $1 AND NOT withdrawn ORDER BY id", company.id
    )
    assert replayed(service, [row["id"] for row in rows]) == [row["lines"] for row in rows]


def begins_by(person: dict[str, Any]) -> bool:
    """Whether someone is in service in the first period of their wave that is run."""
    return str(person["appointment_date"]) <= WAVES[person["frequency"]]


def hire(company: Company, waves: dict[str, int], number: int, person: dict[str, Any]) -> None:
    """Have someone in the company, with what they are paid."""
    facts = {name: person[name] for name in ("race", "birthdate", "appointment_date")}
    status = person["legal_status"]
    own = {"PR": {"nric": new_nric()}, "FOREIGNER": {"fin": f"G{number:07d}{letter('G', f'{number:07d}')}"}}
    given = attributes(**facts) if status == "CITIZEN" else of_status(status, **facts, **own.get(status, {}))
    employee_id = created(company.post({**given, "wave_id": waves[person["frequency"]]}))
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount=person["salary"])
    for name, amount in person["items"].items():
        enter(company, f"employees/{employee_id}", name, amount=amount)
