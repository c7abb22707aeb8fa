"""The days on which monthly payments to authorities are due."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaji.law import due_dates, registry
from gaji.law.months import Month
from gaji.law.parameters import InvalidParameterFile
from tests.law.cases import DATE_CASES, Case, cases
from tests.support.law import LAW

SATURDAY = 5


@cases("due_dates", directory=DATE_CASES)
def test_case(case: Case, law: registry.Law) -> None:
    history, month = getattr(law.due_dates, case["payment"]), Month.parse(case["month"])
    assert due_dates.due_date(history, month, law.holidays) == case["due"]


@given(st.integers(Month(2016, 1).number, Month(2027, 11).number).map(Month.from_number))
def test_the_due_date_is_the_first_working_day_from_the_14th_on(month: Month) -> None:
    due = due_dates.due_date(LAW.due_dates.cpf, month, LAW.holidays)
    later = month + 1
    day = date(later.year, later.month, 14)
    assert due >= day
    assert due.weekday() < SATURDAY
    assert due not in LAW.holidays.names
    while day < due:
        assert day.weekday() >= SATURDAY or day in LAW.holidays.names
        day += timedelta(days=1)


def test_a_day_that_not_every_month_has_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "due_dates.toml").write_text(
        '[cpf]\nvalues = [{ from = 2027-01-01, day = 31, months_later = 1, moves = "never", source = "s" }]\n'
    )
    with pytest.raises(InvalidParameterFile, match="must be 1 to 28"):
        registry.load(tmp_path)
