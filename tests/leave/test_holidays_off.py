"""Public holidays on days off: a day in lieu, or pay, as the policy says."""

from typing import Any

import pytest

from tests.leave.people import OnLeave
from tests.leave.test_payslips import SALARY, enter, income, payslip
from tests.support.company import Company
from tests.support.running import created

MARCH = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": "2026-03-31"}
LAW: dict[str, Any] = {
    "accrual": "monthly",
    "entitlement": [{"year": year, "days": 6 + year} for year in range(1, 9)],
    "least_months": 3,
    "effective_date": "2026-03-01",
}


@pytest.fixture
def paid(company: Company) -> OnLeave:
    """An employee since 1 January 2025 whose first payslip is that of March 2026, when Hari Raya is on a Saturday."""
    someone = OnLeave.hired(company, wave_id=company.wave(**MARCH), appointment_date="2025-01-01")
    created(someone.member.post(someone.path("calculations"), SALARY))
    return someone


def test_a_day_in_lieu_is_granted_with_its_reason(paid: OnLeave) -> None:
    before = paid.balance("2026-03-20"), paid.balance("2026-03-21")
    assert paid.put_policy(**LAW, public_holidays_off="day_in_lieu").status_code == 200
    assert (paid.balance("2026-03-20"), paid.balance("2026-03-21")) == (before[0], before[1] + 1)
    movements = paid.listed("leave_movements", f"?from=2026-03-02&to=2026-03-30&type_id={paid.types['annual_leave']}")
    assert [(movement["kind"], movement["days"], movement["reason"]) for movement in movements] == [
        ("grant", 1, "Day in lieu: Hari Raya Puasa is on a day off (Employment Act 1968, s. 88(1)(c))")
    ]
    assert income(paid, "public_holiday_off_pay") is None
    assert payslip(paid)["leave"]["annual_leave"]["balance"] == paid.balance("2026-03-31")


def test_a_type_of_its_own_gathers_days_in_lieu_and_follows_the_cycle(paid: OnLeave) -> None:
    type_id = created(paid.member.post(f"/clients/{paid.company.id}/leave_types", {"name": "off_in_lieu"}))
    paid.types["off_in_lieu"] = type_id
    given = {"accrual": "none", "effective_date": "2026-03-01", "public_holidays_off": "day_in_lieu"}
    assert paid.put_policy("off_in_lieu", **given).status_code == 200
    assert paid.balance("2026-12-31", "off_in_lieu") == 1
    assert payslip(paid)["leave"]["off_in_lieu"] == {"accrual": 1, "taken": 0, "balance": 1}
    paid.set_hours(cycle="8 8 8 8 8 8 0 / 8 8 8 8 8 0 0", cycle_start="2026-03-21")
    assert paid.balance("2026-12-31", "off_in_lieu") == 0
    paid.set_hours(cycle_start="2026-03-14")
    assert paid.balance("2026-12-31", "off_in_lieu") == 1


def test_the_holiday_is_paid_at_the_gross_rate_unless_days_were_entered(paid: OnLeave) -> None:
    assert income(paid, "public_holiday_off_pay") is None
    assert paid.put_policy(**LAW, public_holidays_off="pay").status_code == 200
    # 12 × 2,200 ÷ (52 × 5) = 101.538…
    assert income(paid, "public_holiday_off_pay") == "101.54"
    explanation = paid.member.get(f"/payslips/{payslip(paid)['id']}/explanation").json()["explanation"]
    [line] = [line for line in explanation if line["item"] == "public_holiday_off_pay"]
    assert line["inputs"]["holidays on a day off"] == "Hari Raya Puasa on 21 March 2026"
    assert line["arithmetic"] == ["round_cents(12 × 2200.00 ÷ (52 × 5) × 1) = 101.54"]
    enter(paid, "basic_salary", calculation_details={"public_holiday_off_days": 0})
    assert income(paid, "public_holiday_off_pay") is None
