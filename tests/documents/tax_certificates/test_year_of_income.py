"""Over all years, the boxes of form IR8A have exactly what the payslips have."""

from collections import Counter
from datetime import date, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gaji.documents.tax_certificates.boxes import BOXES
from gaji.documents.tax_certificates.figures import IncomeAccumulator, box_routes
from gaji.engine import catalogue
from gaji.engine.catalogue import ItemDefinition, StoredValue, Treatment
from gaji.payroll.payslips.tax_years import TaxablePayslip

DEFINITIONS = [
    ItemDefinition(7, "Pension", "income", "per_payslip", Treatment(ir8a="d3")),
    ItemDefinition(8, "Severance", "income", "per_payslip", Treatment(ir8a="d4")),
    ItemDefinition(9, "Share gains", "benefit", "per_payslip", Treatment(ir8a="d8")),
]
ROUTES = box_routes(catalogue.build_catalogue(DEFINITIONS))
YEARS = range(2015, 2036)
DAYS = st.dates(date(2016, 1, 1), date(2034, 12, 31))
BOOLEANS = ("contractual", "approved_in_advance")
DATES = ("declaration_date", "approval_date", "for_from", "for_to", "entitlement_date")
INPUTS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        **{name: st.booleans() for name in BOOLEANS},
        **{name: DAYS.map(str) for name in DATES},
        "commission_for": st.sampled_from(["month", "longer"]),
    },
)


@st.composite
def payslips(draw: st.DrawFn) -> TaxablePayslip:
    """A payslip of any period up to a month, with any lines and inputs."""
    start = draw(DAYS)
    end = start + timedelta(days=draw(st.integers(0, 30)))
    lines = draw(st.dictionaries(st.sampled_from(sorted(ROUTES)), st.integers(1, 10**9), max_size=8))
    entered: dict[str, dict[str, StoredValue]] = {name: draw(INPUTS) for name in lines}
    working_days = {year: draw(st.integers(0, 23_000)) for year in {start.year, end.year}}
    return TaxablePayslip(
        id=1,
        employee_id=1,
        start=start,
        end=end,
        pay_date=end + timedelta(days=draw(st.integers(-10, 30))),
        cents=lines,
        entered=entered,
        last_service_date=draw(st.none() | DAYS),
        working_days_by_year=working_days if start.year != end.year else {},
        mosque_cents=draw(st.integers(0, lines.get("mbmf", 0))),
    )


@given(st.lists(payslips(), max_size=4))
@settings(max_examples=400, deadline=None)
def test_the_sum_of_the_boxes_over_all_years_equals_the_sum_of_the_payslips(slips: list[TaxablePayslip]) -> None:
    reported: Counter[str] = Counter()
    for year in YEARS:
        accumulator = IncomeAccumulator(year)
        for slip in slips:
            accumulator.add(slip, ROUTES)
        for key, cents in accumulator.figures().amounts.items():
            reported[key.partition(".")[0]] += cents
    paid: Counter[str] = Counter()
    for slip in slips:
        for name, cents in slip.cents.items():
            if name == "mbmf":
                paid["mosque"] += slip.mosque_cents
                paid["donation"] += cents - slip.mosque_cents
            else:
                paid[ROUTES[name].item] += ROUTES[name].sign * cents
    assert {box: reported[box] for box in BOXES} == {box: paid[box] for box in BOXES}
