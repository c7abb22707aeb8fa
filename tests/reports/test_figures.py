"""The figures of every report, compared with the reference implementation."""

from fractions import Fraction

from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, MARCH
from tests.reports import reference_reports
from tests.reports.report_client import report_rows
from tests.reports.sample_payroll import JANUARY_OFFSET, SamplePayroll


def test_transaction_history_equals_the_payslips(payroll: SamplePayroll) -> None:
    rows = report_rows(payroll.company, "transaction_history", start_date="2026-01-01", end_date="2026-03-31")
    assert rows == reference_reports.transaction_history(payroll.company, "2026-01-01", "2026-03-31")
    assert len(rows) == 3 + 3 + 2 + 2 + 2 + 1


def test_variance_equals_the_difference_of_two_payslips(payroll: SamplePayroll) -> None:
    wave_id = payroll.company.wave_id
    for months, ends in ((1, (JANUARY, FEBRUARY)), (2, (FEBRUARY, MARCH))):
        rows = report_rows(payroll.company, "variance", wave_id=wave_id, period_offset=JANUARY_OFFSET + months)
        assert rows == reference_reports.variance(payroll.company, wave_id, *ends)
        assert rows


def test_comparison_leave_equals_the_sum_of_the_movements(payroll: SamplePayroll) -> None:
    for start, end in (("2026-01-01", "2026-03-31"), ("2026-03-01", "2026-03-31"), ("2025-06-01", "2027-06-30")):
        rows = report_rows(payroll.company, "comparison_leave", start_date=start, end_date=end)
        assert rows == reference_reports.comparison_leave(payroll.company, start, end)
        assert rows


def test_leave_liability_is_annual_leave_at_the_gross_rate(payroll: SamplePayroll) -> None:
    company = payroll.company
    rows = report_rows(company, "leave_liability_v2", date="2026-03-31")
    # Five days a week. Entertainment and the custom allowance count for the gross rate, transport does not.
    monthly = {"Mei": "4410.00", "Ravi": "3088.80", "Siti": "2800.00"}
    rates = {name: Fraction(amount) * 12 / (52 * 5) for name, amount in monthly.items()}
    rates["Lim"] = Fraction("700.00") / 5
    expected = []
    for name in ("Mei", "Ravi", "Siti", "Lim"):
        balances = reference_reports.get_json(
            company, f"/employees/{payroll.people[name]}/leave_balances?date=2026-03-31"
        )
        days = balances[str(payroll.leave_types["annual_leave"])]
        expected.append(
            {
                "employee": payroll.number(name),
                "Days": days,
                "Daily Rate": _cents(rates[name]),
                "Liability": _cents(rates[name] * Fraction(str(days))),
            }
        )
    assert rows == expected
    assert [row["Days"] for row in rows] == [5, 2, 0, 2]


def test_tracked_balances_after_instalments(payroll: SamplePayroll) -> None:
    # Mei owes 1,000.00 less 300.00 a month, and an advance of 400.00 from March. Ravi has 20.00 and saves 50.00 a month
    # from February, and owes 500.00 less 100.00 a month.
    expected = {
        "2025-12-31": {},
        "2026-01-30": {"Mei": (1000, 0, 0), "Ravi": (0, 0, 500)},
        "2026-01-31": {"Mei": (700, 0, 0), "Ravi": (0, 0, 400)},
        "2026-02-28": {"Mei": (400, 0, 0), "Ravi": (0, 70, 300)},
        "2026-03-31": {"Mei": (350, 0, 0), "Ravi": (0, 120, 200)},
    }
    for day, balances in expected.items():
        rows = {row.pop("employee"): row for row in report_rows(payroll.company, "tracked_balances", date=day)}
        for name, columns in balances.items():
            assert rows[payroll.number(name)] == dict(zip(("Loans", "Savings", "Garnishees"), columns, strict=True))
        others = {payroll.number(name) for name in payroll.people} - {payroll.number(name) for name in balances}
        assert all(not any(rows[number].values()) for number in others & rows.keys())


def _cents(amount: Fraction) -> float:
    """Round to the nearest cent, half a cent up."""
    return int(amount * 100 + Fraction(1, 2)) / 100
