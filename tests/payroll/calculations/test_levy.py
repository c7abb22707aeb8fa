"""The foreign worker levy: when the amount is required, and on which payslip of the month it is."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.payroll.calculations.levies import FIRST_OF_MARCH, ITEM, LEVY, WEEKS, levied, levies, pay
from tests.payroll.calculations.requests import create_calculation, post_calculation
from tests.payroll.payment_runs.runs import done, opened, payslips
from tests.payroll.payslips.slips import detail, draft
from tests.payroll.retro_proposals import proposals
from tests.support.company import ENDS_ON_20, FORTNIGHTLY, MONTHLY, TWICE_A_MONTH, WEEKLY, Company, of_status
from tests.support.problems import field_errors
from tests.support.running import created

APRIL_WEEKS = ("2026-04-03", "2026-04-10", "2026-04-17", "2026-04-24")


@pytest.fixture
def worker(company: Company) -> str:
    """The path of an employee with a work permit."""
    return f"employees/{created(company.post(of_status('FOREIGNER_WP')))}"


def test_a_levy_with_a_known_rate_needs_no_amount(company: Company, worker: str) -> None:
    create_calculation(company, worker, "foreign_worker_levy", sector="services", tier=1, skill="R2")


@pytest.mark.parametrize("details", [{}, {"sector": "construction", "tier": "1", "skill": "R1"}, {"tier": "NTS"}])
def test_the_amount_is_required_without_a_rate(company: Company, worker: str, details: dict[str, Any]) -> None:
    message = field_errors(post_calculation(company, worker, "foreign_worker_levy", **details))[
        "calculation_details.amount"
    ]
    assert message.startswith("is required: no levy rate is known for ")
    create_calculation(company, worker, "foreign_worker_levy", **details, amount=300)


def test_the_sector_can_be_inherited_from_the_client(company: Company, worker: str) -> None:
    create_calculation(company, f"clients/{company.id}", "foreign_worker_levy", sector="services", skill="R2")
    create_calculation(company, worker, "foreign_worker_levy", tier="2")


def test_no_rate_is_needed_without_a_levied_pass(company: Company) -> None:
    create_calculation(company, f"employees/{company.hire()}", "foreign_worker_levy")


def leave(company: Company, employee_id: int, day: str) -> None:
    """End the service and cancel the pass on the same day."""
    company.leave(employee_id, day)
    assert company.patch(employee_id, pass_to=day).status_code == 200


def correct(company: Company, run_id: int, employee_id: int) -> list[list[str]]:
    """The employer's contributions that a correction of a run finds missing. It is finalised if there are any."""
    body = {"corrects": run_id, "employee_ids": [employee_id]}
    answer = company.member.post(f"/clients/{company.id}/payment_runs", body)
    if answer.status_code == 409:
        return []
    correction_id = created(answer)
    done(company, correction_id, "finalise")
    [correction] = payslips(company, correction_id)
    contributions: list[list[str]] = dict(detail(company, correction["id"])["sideline"])["employer_contribution"]
    return contributions


@pytest.mark.parametrize(
    ("wave", "ends", "last_day", "levy"),
    [
        (WEEKLY, WEEKS[:3], "2026-03-18", {"2026-03-20": "177.66"}),
        (WEEKLY, WEEKS[:3], "2026-03-20", {"2026-03-20": "197.40"}),
        (WEEKLY, WEEKS[:4], "2026-03-21", {"2026-03-27": "207.27"}),
        (FORTNIGHTLY, ("2026-03-13",), "2026-03-10", {"2026-03-13": "98.70"}),
        (TWICE_A_MONTH, ("2026-03-15",), "2026-03-10", {"2026-03-15": "98.70"}),
        (TWICE_A_MONTH, ("2026-03-15",), "2026-03-15", {"2026-03-15": "148.05"}),
        (MONTHLY, ("2026-03-31",), "2026-03-10", {"2026-03-31": "98.70"}),
    ],
)
def test_the_levy_of_a_leaver_is_on_the_last_payslip(
    company: Company, wave: dict[str, Any], ends: Sequence[str], last_day: str, levy: dict[str, str]
) -> None:
    employee_id, wave_id = levied(company, wave)
    leave(company, employee_id, last_day)
    pay(company, wave_id, *ends)
    assert levies(company, employee_id) == levy


def test_the_levy_of_a_leaver_in_a_week_of_two_months_is_on_the_last_payslip_of_each_month(company: Company) -> None:
    employee_id, wave_id = levied(company, WEEKLY)
    leave(company, employee_id, "2026-04-02")
    pay(company, wave_id, *WEEKS)
    assert levies(company, employee_id) == {"2026-03-27": "300.00", "2026-04-03": "19.74"}


def test_the_levy_moves_when_the_service_ends_earlier_or_goes_on(company: Company) -> None:
    employee_id, wave_id = levied(company, WEEKLY)
    pay(company, wave_id, *WEEKS[:2])
    leave(company, employee_id, "2026-03-18")
    assert levies(company, employee_id) == {"2026-03-20": "177.66"}
    assert company.act(employee_id, "undo_end_service").status_code == 200
    assert company.patch(employee_id, pass_to=None).status_code == 200
    assert levies(company, employee_id) == {}
    pay(company, wave_id, *WEEKS[2:4])
    assert levies(company, employee_id) == {"2026-03-27": "300.00"}


def test_a_leaver_who_returns_in_the_same_month_has_one_levy(company: Company) -> None:
    employee_id, wave_id = levied(company, WEEKLY)
    company.leave(employee_id, "2026-03-11")
    assert company.act(employee_id, "reinstate", appointment_date="2026-03-16").status_code == 200
    pay(company, wave_id, *WEEKS[:4])
    assert levies(company, employee_id) == {"2026-03-27": "300.00"}


def test_a_leaver_who_returns_after_the_last_payslip_has_the_rest_of_the_levy(company: Company) -> None:
    employee_id, wave_id = levied(company, WEEKLY)
    leave(company, employee_id, "2026-03-11")
    pay(company, wave_id, *WEEKS[:2])
    assert levies(company, employee_id) == {"2026-03-13": "108.57"}
    assert company.act(employee_id, "reinstate", appointment_date="2026-03-16").status_code == 200
    assert company.patch(employee_id, pass_to=None).status_code == 200
    pay(company, wave_id, *WEEKS[2:4])
    assert levies(company, employee_id) == {"2026-03-13": "108.57", "2026-03-27": "191.43"}
    assert proposals.listed(company, employee_id) == []


def test_an_end_of_service_that_is_recorded_late_is_corrected(company: Company) -> None:
    employee_id, wave_id = levied(company, WEEKLY)
    runs = pay(company, wave_id, *WEEKS[:3])
    leave(company, employee_id, "2026-03-20")
    assert levies(company, employee_id) == {}
    assert correct(company, runs[-1], employee_id) == [[ITEM, "197.40"]]
    assert correct(company, runs[-1], employee_id) == []


def test_reopening_the_last_payslip_takes_the_levy(company: Company) -> None:
    employee_id, wave_id = levied(company, WEEKLY)
    runs = pay(company, wave_id, *WEEKS[:3])
    leave(company, employee_id, "2026-03-20")
    done(company, runs[-1], "unfinalise")
    assert levies(company, employee_id) == {"2026-03-20": "197.40"}
    done(company, runs[-1], "finalise")
    assert levies(company, employee_id) == {"2026-03-20": "197.40"}


def test_a_payslip_of_an_earlier_version_keeps_its_lines_and_is_corrected(company: Company) -> None:
    employee_id, wave_id = levied(company, WEEKLY)
    leave(company, employee_id, "2026-03-18")
    pay(company, wave_id, *WEEKS[:2])
    run_id = opened(company, WEEKS[2], wave_id=wave_id)
    company.member.service.as_owner(
        "UPDATE payslips SET levy = 0, inputs = (inputs::jsonb - 'last_of_month')::json, "
        "lines = regexp_replace(lines::text, ', *.\"foreign_worker_levy\", *\"177.66\".', '')::json "
        "WHERE id = $1",
        draft(company, employee_id),
    )
    done(company, run_id, "finalise")
    assert levies(company, employee_id) == {}
    [slip] = payslips(company, run_id)
    explained = company.member.get(f"/payslips/{slip['id']}/explanation").json()
    assert ITEM not in {line["item"] for line in explained["explanation"]}
    assert correct(company, run_id, employee_id) == [[ITEM, "177.66"]]


def test_the_preview_of_a_leaver_has_the_levy(company: Company) -> None:
    wave_id = company.wave(**WEEKLY)
    body = {
        "employee": {"birthdate": "1990-01-01", "legal_status": "FOREIGNER_WP", "pass_to": "2026-03-18"},
        "wave_id": wave_id,
        "period_end_date": "2026-03-20",
        "service": {"start_date": FIRST_OF_MARCH, "end_date": "2026-03-18"},
        "calculations": [{"calc_type": ITEM, "calculation_details": LEVY}],
    }
    answer = company.member.post(f"/clients/{company.id}/payslip_preview", body)
    assert answer.status_code == 200, answer.text
    sideline = dict(answer.json()["payslip"]["sideline"])
    assert [ITEM, "177.66"] in sideline["employer_contribution"]


@pytest.mark.parametrize(
    ("wave", "start", "ends", "levy"),
    [
        (WEEKLY, "2026-03-30", APRIL_WEEKS, {"2026-04-03": "19.74", "2026-04-24": "300.00"}),
        (WEEKLY, "2026-03-28", APRIL_WEEKS[:1], {"2026-04-03": "39.48"}),
        (WEEKLY, "2026-03-27", ("2026-03-27", "2026-04-03"), {"2026-03-27": "49.35"}),
        (WEEKLY, "2026-04-02", APRIL_WEEKS, {"2026-04-24": "286.23"}),
        (ENDS_ON_20, "2026-03-21", ("2026-04-20",), {"2026-04-20": "408.57"}),
        (ENDS_ON_20, "2026-03-25", ("2026-04-20", "2026-05-20"), {"2026-04-20": "369.09", "2026-05-20": "300.00"}),
    ],
)
def test_the_first_payslip_has_the_levy_of_a_first_month_in_which_no_period_ends(
    company: Company, wave: dict[str, Any], start: str, ends: Sequence[str], levy: dict[str, str]
) -> None:
    employee_id, wave_id = levied(company, wave, start, pass_from=start)
    pay(company, wave_id, *ends)
    assert levies(company, employee_id, with_drafts=False) == levy


def test_each_month_has_its_own_part_of_the_levy(company: Company) -> None:
    _, wave_id = levied(company, ENDS_ON_20, "2026-03-30", pass_from="2026-03-30")
    [run_id] = pay(company, wave_id, "2026-04-20")
    [row] = company.member.service.as_owner(
        "SELECT levy, previous_month ->> 'levy' AS previous_levy FROM payslips WHERE payment_run_id = $1", run_id
    )
    assert dict(row) == {"levy": 31974, "previous_levy": "1974"}
    [slip] = payslips(company, run_id)
    explained = company.member.get(f"/payslips/{slip['id']}/explanation").json()
    [line] = [line for line in explained["explanation"] if line["item"] == ITEM]
    assert (line["amount"], line["arithmetic"][-1]) == ("319.74", "19.74 + 300.00 = 319.74")


def test_someone_who_joins_and_leaves_in_a_week_of_two_months_has_the_levy_of_both(company: Company) -> None:
    employee_id, wave_id = levied(company, WEEKLY, "2026-03-30", pass_from="2026-03-30")
    leave(company, employee_id, "2026-04-02")
    pay(company, wave_id, "2026-04-03")
    assert levies(company, employee_id) == {"2026-04-03": "39.48"}


def test_an_entered_amount_replaces_the_levy_of_both_months(company: Company) -> None:
    employee_id, wave_id = levied(company, ENDS_ON_20, "2026-03-30", pass_from="2026-03-30")
    create_calculation(company, f"payslips/{draft(company, employee_id)}", ITEM, amount="350.00")
    pay(company, wave_id, "2026-04-20")
    assert levies(company, employee_id, with_drafts=False) == {"2026-04-20": "350.00"}


def test_a_leaver_who_returns_at_the_end_of_the_month_has_the_rest_of_its_levy(company: Company) -> None:
    employee_id, wave_id = levied(company, WEEKLY)
    leave(company, employee_id, "2026-03-11")
    pay(company, wave_id, *WEEKS[:2])
    assert company.act(employee_id, "reinstate", appointment_date="2026-03-30").status_code == 200
    assert company.patch(employee_id, pass_to=None).status_code == 200
    pay(company, wave_id, *WEEKS[4:])
    assert levies(company, employee_id, with_drafts=False) == {"2026-03-13": "108.57", "2026-04-03": "191.43"}
    assert proposals.listed(company, employee_id) == []


def forget_first_month(company: Company, employee_id: int, *attributes: str) -> None:
    """Make the draft what an earlier version calculated: no levy, and none of these paths in its inputs."""
    paths = [path.split(".") for path in ("takes_previous_levy", *attributes)]
    inputs = "inputs::jsonb" + "".join(f" #- '{{{','.join(path)}}}'" for path in paths)
    company.member.service.as_owner(
        f"UPDATE payslips SET levy = 0, previous_month = previous_month - 'levy', inputs = ({inputs})::json, "
        "lines = regexp_replace(lines::text, ', *.\"foreign_worker_levy\", *\"19.74\".', '')::json WHERE id = $1",
        draft(company, employee_id),
    )


def test_a_first_month_that_an_earlier_version_did_not_charge_is_corrected(company: Company) -> None:
    employee_id, wave_id = levied(company, WEEKLY, "2026-03-30", pass_from="2026-03-30")
    run_id = opened(company, "2026-04-03", wave_id=wave_id)
    forget_first_month(company, employee_id)
    done(company, run_id, "finalise")
    assert levies(company, employee_id, with_drafts=False) == {}
    assert correct(company, run_id, employee_id) == [[ITEM, "19.74"]]
    assert correct(company, run_id, employee_id) == []


def test_the_levy_of_a_first_month_before_wages_were_divided_is_corrected_in_that_month(company: Company) -> None:
    employee_id, wave_id = levied(company, WEEKLY, "2026-03-30", pass_from="2026-03-30")
    run_id = opened(company, "2026-04-03", wave_id=wave_id)
    forget_first_month(company, employee_id, "previous_month", "period.apportionment")
    company.member.service.as_owner(
        "UPDATE payslips SET previous_month = NULL WHERE id = $1", draft(company, employee_id)
    )
    done(company, run_id, "finalise")
    pay(company, wave_id, "2026-04-10", "2026-04-17", "2026-04-24")
    assert levies(company, employee_id, with_drafts=False) == {"2026-04-24": "300.00"}
    assert correct(company, run_id, employee_id) == [[ITEM, "19.74"]]


def test_a_pass_that_was_issued_later_than_recorded_costs_less_in_the_first_month(company: Company) -> None:
    employee_id, wave_id = levied(company, ENDS_ON_20, "2026-03-30", pass_from="2026-03-30")
    [run_id] = pay(company, wave_id, "2026-04-20")
    assert company.patch(employee_id, pass_from="2026-03-31").status_code == 200
    done(company, run_id, "unfinalise")
    assert levies(company, employee_id) == {"2026-04-20": "309.87"}


def test_the_preview_of_a_joiner_has_the_levy_of_the_first_month(company: Company) -> None:
    body = {
        "employee": {"birthdate": "1990-01-01", "legal_status": "FOREIGNER_WP", "pass_from": "2026-03-30"},
        "wave_id": company.wave(**WEEKLY),
        "period_end_date": "2026-04-03",
        "service": {"start_date": "2026-03-30"},
        "calculations": [{"calc_type": ITEM, "calculation_details": LEVY}],
    }
    answer = company.member.post(f"/clients/{company.id}/payslip_preview", body)
    assert answer.status_code == 200, answer.text
    assert [ITEM, "19.74"] in dict(answer.json()["payslip"]["sideline"])["employer_contribution"]


def test_the_preview_of_a_person_without_a_first_day_has_the_levy_of_one_month(company: Company) -> None:
    body = {
        "employee": {"birthdate": "1990-01-01", "legal_status": "FOREIGNER_WP"},
        "wave_id": company.wave(**ENDS_ON_20),
        "period_end_date": "2026-04-20",
        "calculations": [{"calc_type": ITEM, "calculation_details": LEVY}],
    }
    for service in ({}, {"service": {"end_date": "2026-04-10"}}):
        answer = company.member.post(f"/clients/{company.id}/payslip_preview", body | service)
        assert answer.status_code == 200, answer.text
        assert [ITEM, "300.00"] in dict(answer.json()["payslip"]["sideline"])["employer_contribution"]


def test_a_first_month_without_a_rate_is_left_out_of_the_explanation(company: Company) -> None:
    body = {
        "employee": {"birthdate": "1990-01-01", "legal_status": "FOREIGNER_WP", "pass_from": "2025-12-22"},
        "wave_id": company.wave(**ENDS_ON_20),
        "period_end_date": "2026-01-20",
        "service": {"start_date": "2025-12-22"},
        "calculations": [{"calc_type": ITEM, "calculation_details": {"sector": "marine", "skill": "R1"}}],
    }
    answer = company.member.post(f"/clients/{company.id}/payslip_preview", body)
    assert answer.status_code == 200, answer.text
    assert [ITEM, "350.00"] in dict(answer.json()["payslip"]["sideline"])["employer_contribution"]
