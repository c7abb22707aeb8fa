"""The first and last day of service that a certificate states."""

from datetime import date

import pytest

from gaji.documents.tax_certificates.certificate import start_and_end_in_year
from gaji.engine.payslip_input import ServiceInterval


@pytest.mark.parametrize(
    ("start", "end", "stated"),
    [
        (date(2020, 5, 4), None, (None, None)),
        (date(2026, 1, 1), None, (date(2026, 1, 1), None)),
        (date(2020, 5, 4), date(2026, 12, 31), (None, date(2026, 12, 31))),
        (date(2020, 5, 4), date(2027, 1, 1), (None, None)),
        (date(2026, 3, 2), date(2026, 9, 30), (date(2026, 3, 2), date(2026, 9, 30))),
        (date(1969, 1, 1), None, (None, None)),
        (date(1968, 12, 31), None, (date(1968, 12, 31), None)),
    ],
)
def test_a_start_is_stated_in_its_year_or_before_1969_and_an_end_in_its_year(
    start: date, end: date | None, stated: tuple[date | None, date | None]
) -> None:
    assert start_and_end_in_year([ServiceInterval(start, end)], 2026) == stated


def test_a_start_before_1969_is_stated_only_for_that_service() -> None:
    services = [ServiceInterval(date(1968, 1, 1), date(1999, 12, 31)), ServiceInterval(date(2010, 5, 1), None)]
    assert start_and_end_in_year(services, 2026) == (None, None)
    assert start_and_end_in_year(services, 1999) == (date(1968, 1, 1), date(1999, 12, 31))
