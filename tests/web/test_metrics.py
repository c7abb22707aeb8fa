"""Metrics for Prometheus."""

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gaji.core.metrics import Instruments
from gaji.core.settings import Settings, SettingsError
from gaji.db.replica import ReplicaStatus
from gaji.web.metrics import replica_metrics
from tests.console.console_user import ConsoleUser
from tests.payroll.payment_runs.runs import hired
from tests.support.company import Company
from tests.support.problems import assert_problem
from tests.support.running import METRICS_TOKEN, Member, Service

AUTHORIZATION = {"Authorization": f"Bearer {METRICS_TOKEN}"}
WORKER_WITHIN_S = 60
DEPLOY = Path(__file__).parents[2] / "deploy"
NAME = re.compile(r"\bgaji_[a-z_]+")
SUFFIXES = {"counter": ["_total"], "gauge": [""], "histogram": ["_bucket", "_count", "_sum"]}
NEEDS_OTHER_SERVERS = {"gaji_standby_lag_bytes", "gaji_disk_free_bytes", "gaji_disk_size_bytes"}
"""Metrics of a standby, and of the disk of an embedded database, which the server of the tests does not have."""


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


def test_mail_webhooks_and_backups_are_measured(account: Member) -> None:
    service = account.service
    before = {name: value(service, name) for name in ("gaji_mail_waiting", "gaji_webhooks_waiting")}
    client_id = account.new_client()
    service.as_owner(
        "INSERT INTO outgoing_mail (account_id, kind, recipient, parameters, due_at, created_at) "
        "SELECT account_id, 'payslip_ready', 'a@example.com', '{}', now() + interval '1 hour', "
        "now() - interval '2 hours' FROM users WHERE email = $1",
        account.email,
    )
    service.as_owner(
        "WITH endpoint AS (INSERT INTO webhook_endpoints (account_id, url, types, enabled, secret_sealed) "
        "SELECT account_id, 'https://example.com', '{none}', true, '' FROM users WHERE email = $2 RETURNING id) "
        "INSERT INTO webhook_deliveries (client_id, endpoint_id, type, resource_type, resource_id, occurred_at, "
        "next_attempt_at, created_at) SELECT $1, id, 'test', 'client', '1', now(), now() + interval '1 hour', "
        "now() - interval '3 hours' FROM endpoint",
        client_id,
        account.email,
    )
    service.as_owner(
        "INSERT INTO last_backup VALUES (to_timestamp(1790000000)) "
        "ON CONFLICT (is_only_row) DO UPDATE SET completed_at = excluded.completed_at"
    )
    assert value(service, "gaji_mail_waiting") == before["gaji_mail_waiting"] + 1
    assert value(service, "gaji_mail_age_seconds") >= 7200
    assert value(service, "gaji_webhooks_waiting") == before["gaji_webhooks_waiting"] + 1
    assert value(service, "gaji_webhook_age_seconds") >= 10800
    assert value(service, "gaji_last_backup_timestamp_seconds") == 1790000000
    service.as_owner("UPDATE webhook_endpoints SET enabled = false WHERE url = 'https://example.com'")
    assert value(service, "gaji_webhooks_waiting") == before["gaji_webhooks_waiting"]


def test_connections_are_measured_also_when_they_are_returned(account: Member) -> None:
    service = account.service
    client_id = account.new_client()
    limit = value(service, "gaji_database_connections_limit")
    assert limit >= service.settings.connections
    requests = service.settings.connections
    with ThreadPoolExecutor(requests) as threads:
        with service.holding("SELECT FROM clients WHERE id = $1 FOR UPDATE", client_id):
            running = [
                threads.submit(account.patch, f"/clients/{client_id}", {"name": f"Kopi {number}"})
                for number in range(requests)
            ]
            service.wait_until_blocked(requests * 3 // 4)
            assert value(service, "gaji_database_connections_in_use") >= requests * 3 // 4
            deadline = time.monotonic() + WORKER_WITHIN_S
            while value(service, "gaji_database_connections_waiting") < 1:
                assert time.monotonic() < deadline, "no request waits for a connection"
                time.sleep(0.05)
        assert {response.result().status_code for response in running} == {200}
    assert value(service, "gaji_database_connections_waiting") == 0
    assert value(service, "gaji_database_connections_in_use") < requests * 3 // 4


def test_alerts_and_the_dashboard_use_metrics_that_exist(service: Service) -> None:
    service.as_owner("INSERT INTO last_backup VALUES (now()) ON CONFLICT (is_only_row) DO NOTHING")
    recorded = {family.name + suffix for family in Instruments().registry.collect() for suffix in SUFFIXES[family.type]}
    read_just_now = {name for name, _ in scrape(service)} | {
        family.name for family in replica_metrics(ReplicaStatus(None, 0, 0.0))
    }
    alerts = (DEPLOY / "prometheus/alerts.yml").read_text()
    dashboard = json.loads((DEPLOY / "grafana/gaji.json").read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    used = {name for text in (alerts, *queries) for name in NAME.findall(text)}
    tasks = {"gaji_queued_tasks", "gaji_queue_age_seconds"}  # without samples while nothing waits
    assert used - recorded - read_just_now - tasks <= NEEDS_OTHER_SERVERS


def test_every_metric_is_documented() -> None:
    documented = set(NAME.findall((DEPLOY.parent / "docs/operating.md").read_text()))
    recorded = {
        family.name + ("_total" if family.type == "counter" else "") for family in Instruments().registry.collect()
    }
    assert recorded <= documented
