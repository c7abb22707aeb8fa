"""GET /clients/:client_id/reports."""

import jsonschema  # type: ignore[import-untyped]
import pytest

from gaji.core import clock
from tests.reports.reference_reports import get_json
from tests.reports.report_client import report_rows, run_report
from tests.reports.sample_payroll import JANUARY_OFFSET, MONTHS, SamplePayroll
from tests.reports.test_contract import FIELDS, REQUIRED, fields
from tests.support.problems import assert_problem


def test_it_works(payroll: SamplePayroll) -> None:
    discovery = get_json(payroll.company, f"/clients/{payroll.company.id}/reports")
    assert set(discovery) == {"reports", "account_names", "custom_fields", "waves"}
    assert [report["id"] for report in discovery["reports"]] == list(FIELDS)
    assert {report["id"] for report in discovery["reports"] if report["beta"]} == {
        "leave_liability_v2",
        "tracked_balances",
    }


@pytest.mark.parametrize("report", FIELDS)
def test_the_schema_accepts_what_the_report_accepts(payroll: SamplePayroll, report: str) -> None:
    listed = get_json(payroll.company, f"/clients/{payroll.company.id}/reports")["reports"]
    [schema] = [element["request"] for element in listed if element["id"] == report]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["required"] == REQUIRED[report]
    jsonschema.validate(fields(payroll, report), schema)
    for name in REQUIRED[report]:
        less = {other: value for other, value in fields(payroll, report).items() if other != name}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(less, schema)


def test_every_listed_name_can_be_requested(payroll: SamplePayroll) -> None:
    discovery = get_json(payroll.company, f"/clients/{payroll.company.id}/reports")
    names = {"account_names": discovery["account_names"], "custom_fields": discovery["custom_fields"]}
    span = {"start_date": "2026-01-01", "end_date": "2026-01-31"}
    [row, *_] = report_rows(payroll.company, "transaction_history", **span, **names)
    assert list(row)[2 : 2 + len(discovery["account_names"])] == discovery["account_names"]
    assert len(row) == 2 + len(discovery["account_names"]) + len(discovery["custom_fields"])
    assert {"Night shift", f"Bonus ({payroll.items['Bonus']})", "Nett pay"} <= set(discovery["account_names"])
    assert discovery["custom_fields"] == [
        *("first_name", "last_name", "pay_point_id", "appointment_date", "Shirt size", "Locker", "Shift leader")
    ]


def test_periods_of_each_wave_range_from_the_first_to_the_next(payroll: SamplePayroll) -> None:
    waves = get_json(payroll.company, f"/clients/{payroll.company.id}/reports")["waves"]
    assert [wave["wave_id"] for wave in waves] == [payroll.company.wave_id, payroll.weekly_wave_id]
    monthly = {period["period_offset"]: period["period_end_date"] for period in waves[0]["period_offsets"]}
    assert min(monthly.values()) == "2024-01-31"
    assert max(monthly.values()) > str(clock.today())
    assert [monthly[JANUARY_OFFSET + month] for month in range(3)] == list(MONTHS)
    for offset in (min(monthly), max(monthly)):
        answer = run_report(payroll.company, "variance", wave_id=payroll.company.wave_id, period_offset=offset)
        assert answer.status_code == 200


def test_another_account_cannot_see_it(payroll: SamplePayroll) -> None:
    stranger = payroll.company.member.service.new_account()
    assert_problem(stranger.get(f"/clients/{payroll.company.id}/reports"), 404)
