"""Public holidays."""

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from gaji.law import holidays, registry
from gaji.law.columns import date_column, missing_dates
from gaji.law.parameters import InvalidParameterFile, MonthNotCovered
from tests.law.cases import Case, cases

SUNDAY = 6


@cases("holidays", "year")
def test_year(case: Case, law: registry.Law) -> None:
    holidays_of_year = [(holiday.day, holiday.name) for holiday in law.holidays.of_year(int(case["name"]))]
    assert holidays_of_year == [(day["date"], day["name"]) for day in case["days"]]


@cases("holidays", "day")
def test_day(case: Case, law: registry.Law) -> None:
    assert law.holidays.is_holiday(date_column([case["date"]])).tolist() == [case["holiday"]]


def test_a_column_of_dates_is_checked_date_by_date(law: registry.Law) -> None:
    dates = np.arange(np.datetime64("2016-01-01"), np.datetime64("2028-01-01"))
    holiday_dates = {
        day for day, holiday in zip(dates.tolist(), law.holidays.is_holiday(dates).tolist(), strict=True) if holiday
    }
    assert holiday_dates == set(law.holidays.names)


def test_every_sunday_holiday_has_a_day_in_lieu_on_the_next_day_that_is_not_a_holiday(law: registry.Law) -> None:
    regular = {day for day, name in law.holidays.names.items() if "observed" not in name}
    in_lieu: set[date] = set()
    for day in sorted(regular):
        if day.weekday() == SUNDAY:
            later = day + timedelta(days=1)
            while later in regular | in_lieu:
                later += timedelta(days=1)
            in_lieu.add(later)
    assert in_lieu == set(law.holidays.names) - regular


def test_a_year_has_eleven_holidays_apart_from_polling_days(law: registry.Law) -> None:
    for year in range(2016, 2028):
        regular = [holiday for holiday in law.holidays.of_year(year) if "observed" not in holiday.name]
        assert len([holiday for holiday in regular if holiday.name != "Polling Day"]) == 11


@pytest.mark.parametrize("day", [date(2015, 12, 31), date(2028, 1, 1)])
def test_dates_outside_the_covered_years_are_rejected(law: registry.Law, day: date) -> None:
    with pytest.raises(MonthNotCovered, match="holidays covers 2016-01 to 2027-12"):
        law.holidays.is_holiday(date_column([date(2026, 1, 1), day]))
    with pytest.raises(MonthNotCovered):
        law.holidays.of_year(day.year)


def test_a_missing_date_is_not_a_holiday(law: registry.Law) -> None:
    assert law.holidays.is_holiday(missing_dates(2)).tolist() == [False, False]


def test_an_operator_adds_a_polling_day(law: registry.Law, tmp_path: Path) -> None:
    (tmp_path / "holidays.toml").write_text(
        '[added_days]\nvalues = [{ from = 2027-06-12, name = "Polling Day", source = "Gazette" }]\n'
    )
    overridden = registry.load(tmp_path)
    assert overridden.holidays.names[date(2027, 6, 12)] == "Polling Day"
    assert overridden.holidays.names[date(2025, 5, 3)] == "Polling Day"
    assert overridden.rules_version != law.rules_version


def with_file(directory: Path, text: str) -> dict[date, str]:
    """The holidays by date with this override file."""
    (directory / "holidays.toml").write_text(text)
    return registry.load(directory).holidays.names


def test_an_added_sunday_makes_the_next_day_a_holiday_too(tmp_path: Path) -> None:
    names = with_file(tmp_path, "[added_days]\nvalues = [{ from = 2027-06-13, name = 'Polling Day', source = 's' }]")
    assert names[date(2027, 6, 13)] == "Polling Day"
    assert names[date(2027, 6, 14)] == "Polling Day (observed)"


def test_a_listed_day_in_lieu_does_not_get_another_day_in_lieu(tmp_path: Path) -> None:
    monday = "{ from = 2027-06-14, name = 'Polling Day (observed)', source = 's' }"
    names = with_file(
        tmp_path, f"[added_days]\nvalues = [{monday}, {{ from = 2027-06-13, name = 'Polling Day', source = 's' }}]"
    )
    assert names[date(2027, 6, 14)] == "Polling Day (observed)"
    assert date(2027, 6, 15) not in names
    [listed] = [holiday for holiday in registry.load(tmp_path).holidays.days if holiday.day == date(2027, 6, 14)]
    assert (listed.in_lieu_of, listed.source) == (date(2027, 6, 13), "s")


def test_an_added_monday_moves_the_day_in_lieu_of_the_sunday_before(tmp_path: Path) -> None:
    names = with_file(tmp_path, "[added_days]\nvalues = [{ from = 2026-11-09, name = 'Polling Day', source = 's' }]")
    assert names[date(2026, 11, 9)] == "Polling Day"
    assert names[date(2026, 11, 10)] == "Deepavali (observed)"


def test_a_removed_holiday_loses_its_day_in_lieu(law: registry.Law, tmp_path: Path) -> None:
    names = with_file(tmp_path, "[removed_days]\nvalues = [{ from = 2026-05-31, source = 'Gazette' }]")
    assert set(law.holidays.names) - set(names) == {date(2026, 5, 31), date(2026, 6, 1)}


def test_a_holiday_is_moved_by_removing_and_adding_it(law: registry.Law, tmp_path: Path) -> None:
    names = with_file(
        tmp_path,
        "[removed_days]\nvalues = [{ from = 2027-10-28, source = 'Gazette' }]\n"
        "[added_days]\nvalues = [{ from = 2027-10-29, name = 'Deepavali', source = 'Gazette' }]",
    )
    assert set(law.holidays.names) ^ set(names) == {date(2027, 10, 28), date(2027, 10, 29)}


def test_years_that_the_package_estimates_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "holidays.toml").write_text('covered_until = "2031-12"\n')
    with pytest.raises(InvalidParameterFile, match=r"estimates .*install a newer version"):
        registry.load(tmp_path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[added_days]\nvalues = [{ from = 2027-06-12, source = 's' }]", "name: is missing"),
        ("[added_days]\nvalues = [{ from = 2027-06-12, name = 'n' }]", "source: is missing"),
        ("[added_days]\nvalues = [{ from = 'soon', name = 'n', source = 's' }]", "must be a date"),
        ("[added_days]\nvalues = [{ from = 2027-06-12, name = 'n', source = 's', more = 1 }]", "is not a known field"),
        ("[removed_days]\nvalues = []", "must be a list of tables"),
        ("[removed_days]\nvalues = [{ from = 2027-05-01 }]", "source: is missing"),
        ("[removed_days]\nvalues = [{ from = 2027-05-03, source = 's' }]", "2027-05-03 is not a yearly holiday"),
        ("[moved_days]\nvalues = []", "is not a known field"),
    ],
)
def test_an_invalid_file_is_rejected(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "holidays.toml").write_text(text)
    with pytest.raises(InvalidParameterFile, match=reason) as raised:
        registry.load(tmp_path)
    assert raised.value.file == str(tmp_path / "holidays.toml")


def test_the_package_is_called_once_per_year() -> None:
    assert holidays.package_holidays(2026) is holidays.package_holidays(2026)
