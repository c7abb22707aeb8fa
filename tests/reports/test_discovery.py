"""GET /clients/:client_id/reports."""

import jsonschema  # type: ignore[import-untyped]
import pytest

from gaji.core import clock
from tests.reports.asking import ask, rows
from tests.reports.payroll import JANUARY_OFFSET, MONTHS, Payroll
from tests.reports.plain import got
from tests.reports.test_contract import FIELDS, REQUIRED, fields
from tests.support.problems import refused


def test_it_works(payroll: Payroll) -> None:
    found = got(payroll.company, f"/clients/{payroll.company.id}/reports")
    assert set(found) == {"reports", "account_names", "custom_fields", "waves"}
    assert [one["id"] for one in found["reports"]] == list(FIELDS)
    assert {one["id"] for one in found["reports"] if one["beta"]} == {"leave_liability_v2", "tracked_balances"}


@pytest.mark.parametrize("report", FIELDS)
def test_the_schema_of_a_report_takes_what_the_report_takes(payroll: Payroll, report: str) -> None:
    listed = got(payroll.company, f"/clients/{payroll.company.id}/reports")["reports"]
    [schema] = [one["request"] for one in listed if one["id"] == report]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["required"] == REQUIRED[report]
    jsonschema.validate(fields(payroll, report), schema)
    for name in REQUIRED[report]:
        less = {other: value for other, value in fields(payroll, report).items() if other != name}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(less, schema)


def test_every_name_that_is_listed_can_be_asked_for(payroll: Payroll) -> None:
    found = got(payroll.company, f"/clients/{payroll.company.id}/reports")
    names = {"account_names": found["account_names"], "custom_fields": found["custom_fields"]}
    span = {"start_date": "2026-01-01", "end_date": "2026-01-31"}
    [row, *_] = rows(payroll.company, "transaction_history", **span, **names)
    assert list(row)[2 : 2 + len(found["account_names"])] == found["account_names"]
    assert len(row) == 2 + len(found["account_names"]) + len(found["custom_fields"])
    assert {"Night shift", f"Bonus ({payroll.items['Bonus']})", "Nett pay"} <= set(found["account_names"])
    assert found["custom_fields"] == [
        *("first_name", "last_name", "pay_point_id", "appointment_date", "Shirt size", "Locker", "Shift leader")
    ]


def test_the_periods_of_each_wave_reach_from_its_first_to_the_next(payroll: Payroll) -> None:
    waves = got(payroll.company, f"/clients/{payroll.company.id}/reports")["waves"]
    assert [one["wave_id"] for one in waves] == [payroll.company.wave_id, payroll.weekly_wave_id]
    monthly = {one["period_offset"]: one["period_end_date"] for one in waves[0]["period_offsets"]}
    assert min(monthly.values()) == "2024-01-31"
    assert max(monthly.values()) > str(clock.today())
    assert [monthly[JANUARY_OFFSET + place] for place in range(3)] == list(MONTHS)
    for offset in (min(monthly), max(monthly)):
        answer = ask(payroll.company, "variance", wave_id=payroll.company.wave_id, period_offset=offset)
        assert answer.status_code == 200


def test_a_stranger_sees_nothing_of_it(payroll: Payroll) -> None:
    stranger = payroll.company.member.service.new_account()
    refused(stranger.get(f"/clients/{payroll.company.id}/reports"), 404)
