"""What the Ministry of Defence pays for national service."""

from gaji.law import national_service, registry
from gaji.law.months import Month
from gaji.law.national_service import ServiceActivity
from tests.law.cases import DATE_CASES, Case, cases, in_cents


@cases("national_service", "case", DATE_CASES)
def test_compensation(case: Case, law: registry.Law) -> None:
    activity = ServiceActivity(
        Month.parse(case["month"]),
        case["calendar_days"],
        case["working_days"],
        case["month_working_days"],
        in_cents(case["service_pay_of_month"]),
        in_cents(case["ordinary_wages"]),
        in_cents(case["additional_wages"]),
    )
    paid = national_service.compensation(law.national_service, activity)
    amounts = (paid.service_pay_cents, paid.income_lost_cents, paid.make_up_pay_cents, paid.top_up_cents)
    expected = ("service_pay", "income_lost", "make_up_pay", "top_up")
    assert amounts == tuple(in_cents(case[name]) for name in expected)
    for scheme, direct in (("direct", True), ("otherwise", False)):
        assert paid.to_serviceman_cents(direct_scheme=direct) == in_cents(case["to_serviceman"][scheme])
