"""Metrics for Prometheus."""

import time

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gaji.core.settings import Settings, SettingsError
from tests.console.console_user import ConsoleUser
from tests.payroll.payment_runs.runs import hired
from tests.support.company import Company
from tests.support.problems import assert_problem
from tests.support.running import METRICS_TOKEN, Member, Service

AUTHORIZATION = {"Authorization": f"Bearer {METRICS_TOKEN}"}
WORKER_WITHIN_S = 60


def scrape(service: Service) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Return all samples by name and labels."""
    response = service.http.get(f"{service.url}/metrics", headers=AUTHORIZATION)
    assert (response.status_code, response.headers["cache-control"]) == (200, "no-store")
    families = text_string_to_metric_families(response.text)
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def value(service: Service, name: str, **labels: str) -> float:
    """Return one sample, or 0."""
    return scrape(service).get((name, tuple(sorted(labels.items()))), 0.0)


def test_requests_are_counted_by_route(account: Member) -> None:
    labels = {"method": "GET", "route": "/v1/clients/{client_id}"}
    client_id = account.new_client()
    before = value(account.service, "gaji_http_requests_total", **labels, status="200")
    for _ in range(3):
        account.get(f"/clients/{client_id}")
    assert value(account.service, "gaji_http_requests_total", **labels, status="200") == before + 3
    assert value(account.service, "gaji_http_request_duration_seconds_count", **labels) >= 3
    account.get("/clients/999999999")
    assert value(account.service, "gaji_http_requests_total", **labels, status="404") >= 1


def test_paths_that_do_not_exist_are_one_route(account: Member) -> None:
    account.get("/tan-ah-kow")
    routes = {dict(labels).get("route") for _, labels in scrape(account.service)}
    assert "unknown" in routes
    assert not any("tan-ah-kow" in (route or "") for route in routes)


def test_payslips_and_the_database_are_measured(company: Company) -> None:
    service = company.member.service
    before = value(service, "gaji_payslips_calculated_total")
    hired(company)
    assert value(service, "gaji_payslips_calculated_total") > before
    assert value(service, "gaji_database_size_bytes") > 1_000_000
    assert value(service, "gaji_database_connections_in_use") >= 1
    assert [name for name, _ in scrape(service)].count("gaji_process_memory_bytes") >= 1


def test_tasks_of_the_embedded_worker_are_measured(service: Service) -> None:
    deadline = time.monotonic() + WORKER_WITHIN_S
    while not any(name == "gaji_task_duration_seconds_count" for name, _ in scrape(service)):
        assert time.monotonic() < deadline, "no task was measured"
        time.sleep(0.2)
    assert value(service, "gaji_workers") >= 1


def test_failed_sign_ins_are_counted(account: Member) -> None:
    before = value(account.service, "gaji_failed_sign_ins_total")
    assert ConsoleUser(account).sign_in("not the password").status_code == 422
    assert value(account.service, "gaji_failed_sign_ins_total") == before + 1


def test_metrics_require_the_token(service: Service) -> None:
    refused: list[dict[str, str]] = [{}, {"Authorization": "Bearer wrong"}, {"Authorization": METRICS_TOKEN}]
    for headers in refused:
        assert_problem(service.http.get(f"{service.url}/metrics", headers=headers), 401)


def test_a_token_must_be_long_enough() -> None:
    assert Settings.from_environment({}).metrics_token is None
    with pytest.raises(SettingsError, match="GAJI_METRICS_TOKEN"):
        Settings.from_environment({"GAJI_METRICS_TOKEN": "short"})
    with pytest.raises(SettingsError, match="GAJI_METRICS_PORT"):
        Settings.from_environment({"GAJI_METRICS_PORT": "x"})
