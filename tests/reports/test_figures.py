"""The figures of every report, told again from payslips and movements one by one."""

from fractions import Fraction

from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, MARCH
from tests.reports import plain
from tests.reports.asking import rows
from tests.reports.payroll import JANUARY_OFFSET, Payroll


def test_transaction_history_is_what_the_payslips_say(payroll: Payroll) -> None:
    found = rows(payroll.company, "transaction_history", start_date="2026-01-01", end_date="2026-03-31")
    assert found == plain.transaction_history(payroll.company, "2026-01-01", "2026-03-31")
    assert len(found) == 3 + 3 + 2 + 2 + 2 + 1


def test_variance_is_the_difference_of_two_payslips(payroll: Payroll) -> None:
    wave_id = payroll.company.wave_id
    for months, ends in ((1, (JANUARY, FEBRUARY)), (2, (FEBRUARY, MARCH))):
        found = rows(payroll.company, "variance", wave_id=wave_id, period_offset=JANUARY_OFFSET + months)
        assert found == plain.variance(payroll.company, wave_id, *ends)
        assert found


def test_comparison_leave_is_the_sum_of_the_movements(payroll: Payroll) -> None:
    for start, end in (("2026-01-01", "2026-03-31"), ("2026-03-01", "2026-03-31"), ("2025-06-01", "2027-06-30")):
        found = rows(payroll.company, "comparison_leave", start_date=start, end_date=end)
        assert found == plain.comparison_leave(payroll.company, start, end)
        assert found


def test_leave_liability_is_the_annual_leave_at_the_gross_rate(payroll: Payroll) -> None:
    company = payroll.company
    found = rows(company, "leave_liability_v2", date="2026-03-31")
    # Five days a week. Entertainment and the custom allowance belong to the gross rate, transport does not.
    monthly = {"Mei": "4410.00", "Ravi": "3088.80", "Siti": "2800.00"}
    rates = {name: Fraction(amount) * 12 / (52 * 5) for name, amount in monthly.items()}
    rates["Lim"] = Fraction("700.00") / 5
    expected = []
    for name in ("Mei", "Ravi", "Siti", "Lim"):
        balances = plain.got(company, f"/employees/{payroll.people[name]}/leave_balances?date=2026-03-31")
        days = balances[str(payroll.leave_types["annual_leave"])]
        expected.append(
            {
                "employee": payroll.number(name),
                "Days": days,
                "Daily Rate": _cents(rates[name]),
                "Liability": _cents(rates[name] * Fraction(str(days))),
            }
        )
    assert found == expected
    assert [row["Days"] for row in found] == [5, 2, 0, 2]


def test_tracked_balances_are_what_is_left_of_what_was_entered(payroll: Payroll) -> None:
    # Mei: 1,000.00 less 300.00 a month, and an advance of 400.00 from March on; Ravi saves 50.00 a month from February
    # on beside the 20.00 he had, and owes 500.00 less 100.00 a month.
    expected = {
        "2025-12-31": {},
        "2026-01-30": {"Mei": (1000, 0, 0), "Ravi": (0, 0, 500)},
        "2026-01-31": {"Mei": (700, 0, 0), "Ravi": (0, 0, 400)},
        "2026-02-28": {"Mei": (400, 0, 0), "Ravi": (0, 70, 300)},
        "2026-03-31": {"Mei": (350, 0, 0), "Ravi": (0, 120, 200)},
    }
    for day, balances in expected.items():
        found = {row.pop("employee"): row for row in rows(payroll.company, "tracked_balances", date=day)}
        for name, columns in balances.items():
            assert found[payroll.number(name)] == dict(zip(("Loans", "Savings", "Garnishees"), columns, strict=True))
        others = {payroll.number(name) for name in payroll.people} - {payroll.number(name) for name in balances}
        assert all(not any(found[number].values()) for number in others & found.keys())


def _cents(amount: Fraction) -> float:
    """To the nearest cent, half a cent up."""
    return int(amount * 100 + Fraction(1, 2)) / 100
