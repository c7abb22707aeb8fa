"""Deleting a leave day, or undoing an end of service, restores the previous state."""

import random
from typing import Any

import pytest

from tests.leave.people import FIVE_AND_A_HALF, OnLeave

ON_DATES = ("2026-02-28", "2026-04-10", "2026-05-31", "2026-12-31", "2027-06-30")
# From Monday to Friday, and no public holidays.
WORKING_DAYS = tuple(f"2026-{month:02}-{day:02}" for month in (3, 4, 6, 7) for day in (2, 9, 10, 16, 17))

TYPES = ("annual_leave", "sick_leave", "unpaid_leave", "childcare_leave")
LAST_DAYS = ("2026-03-10", "2026-04-08", "2026-04-30", "2026-06-09", "2026-12-31")

at_random = pytest.mark.parametrize("chance", [random.Random(seed) for seed in range(6)], ids=range(6))


def rows_of(someone: OnLeave, *tables: str) -> dict[str, list[Any]]:
    """The rows of a client; when a row was last written is no part of what it says."""
    return {
        table: someone.member.service.as_owner(
            f"SELECT to_jsonb(t) - 'updated_at' AS row FROM {table} t WHERE client_id = $1 ORDER BY 1",
            someone.company.id,
        )
        for table in tables
    }


def standing(someone: OnLeave) -> object:
    """All that leave has to do with, as it is kept and as it is shown."""
    kept = ("payslips", "leave_days", "leave_adjustments", "service_periods", "wave_periods", "calculations")
    movements = someone.listed("leave_movements", "?to=2027-06-30")
    return rows_of(someone, *kept), [someone.balances(date) for date in ON_DATES], movements


def take_some(someone: OnLeave, chance: random.Random) -> list[int]:
    """Record some days of leave, whole ones or hours of them."""
    someone.put_policy("childcare_leave", accrual="none", below_zero=True, effective_date="2026-01-01")
    return [
        someone.take(date, chance.choice(TYPES), **chance.choice(({}, {"hours": 1}, {"hours": 4}, {"hours": 7})))
        for date in chance.sample(WORKING_DAYS, chance.randint(1, 4))
    ]


@at_random
def test_an_end_of_service_that_is_undone_restores_every_row(someone: OnLeave, chance: random.Random) -> None:
    if chance.random() < 0.5:
        someone.set_hours(**FIVE_AND_A_HALF)
    take_some(someone, chance)
    someone.adjust(chance.choice(WORKING_DAYS), chance.choice((1, 2.5, -1)))
    before, listed = standing(someone), someone.listed()
    last_day = chance.choice(LAST_DAYS)
    someone.company.leave(someone.id, last_day)
    assert standing(someone) != before
    assert [day["date"] for day in someone.listed()] == [day["date"] for day in listed if day["date"] <= last_day]
    assert someone.company.act(someone.id, "undo_end_service").status_code == 200
    assert standing(someone) == before
