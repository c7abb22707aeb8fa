"""The application of one server process: every operation, the pages about them, and the console."""

from collections.abc import Sequence

import gaji.approvals.endpoints
import gaji.company.audit_log.endpoints
import gaji.company.clients.endpoints
import gaji.company.constants.endpoints
import gaji.company.custom_fields.endpoints
import gaji.company.logos.endpoints
import gaji.company.pay_points.endpoints
import gaji.company.waves.endpoints
import gaji.documents.deadlines.endpoints
import gaji.documents.filings.endpoints
import gaji.documents.journal_files.endpoints
import gaji.documents.payment_files.endpoints
import gaji.documents.payslips.endpoints
import gaji.documents.tax_certificates.endpoints
import gaji.documents.withholding_tax.endpoints
import gaji.identity.endpoints
import gaji.imports.employees.endpoints
import gaji.integrations.events.endpoints
import gaji.integrations.webhooks.endpoints
import gaji.leave.adjustments.endpoints
import gaji.leave.balances.endpoints
import gaji.leave.days.endpoints
import gaji.leave.medical_certificates.endpoints
import gaji.leave.requests.endpoints
import gaji.leave.statutory_leave.endpoints
import gaji.leave.types.endpoints
import gaji.payroll.account_mappings.endpoints
import gaji.payroll.accounting.endpoints
import gaji.payroll.bulk_input.endpoints
import gaji.payroll.calculation_definitions.endpoints
import gaji.payroll.calculations.endpoints
import gaji.payroll.payment_reissues.endpoints
import gaji.payroll.payment_runs.endpoints
import gaji.payroll.payslips.endpoints
import gaji.payroll.profiles.endpoints
import gaji.payroll.retro_proposals.endpoints
import gaji.payroll.withheld_payments.endpoints
import gaji.people.benefits_in_kind.endpoints
import gaji.people.children.endpoints
import gaji.people.employees.endpoints
import gaji.people.service_periods.endpoints
import gaji.people.share_gains.endpoints
import gaji.people.take_on.endpoints
import gaji.privacy.erasure.endpoints
import gaji.privacy.personal_data.endpoints
import gaji.privacy.retention.endpoints
import gaji.reports.endpoints
import gaji.wiring
from gaji.console.app import Console
from gaji.core import metrics, traces
from gaji.core.logs import set_log_level
from gaji.core.settings import Settings
from gaji.db.pool import Pool
from gaji.identity.access_events import (
    DOWNLOAD,
    IDENTIFIERS,
    NEW_ADDRESS,
    AccessSource,
    record_event,
    record_refused_identifiers,
)
from gaji.identity.service import authenticate
from gaji.web.access_trail import AccessTrail, RecordAccess, RequestOrigin
from gaji.web.application import API_PREFIX, Application
from gaji.web.asgi import HTTPScope, Receive, request_context
from gaji.web.dispatch import dispatch_request
from gaji.web.docs.endpoints import docs_pages
from gaji.web.health import health_pages
from gaji.web.lifespan import Lifespan
from gaji.web.metrics import metrics_page
from gaji.web.operations import Operation
from gaji.web.proxies import TrustedProxies
from gaji.web.public_pages import PublicPages
from gaji.web.responses import HttpResponse
from gaji.web.route_table import RouteTable

OPERATIONS: Sequence[Operation] = (
    *gaji.identity.endpoints.router.operations,
    *gaji.company.clients.endpoints.router.operations,
    *gaji.company.logos.endpoints.router.operations,
    *gaji.approvals.endpoints.router.operations,
    *gaji.company.audit_log.endpoints.router.operations,
    *gaji.identity.endpoints.access_router.operations,
    *gaji.company.pay_points.endpoints.router.operations,
    *gaji.company.waves.endpoints.router.operations,
    *gaji.people.employees.endpoints.router.operations,
    *gaji.privacy.personal_data.endpoints.router.operations,
    *gaji.privacy.erasure.endpoints.router.operations,
    *gaji.privacy.retention.endpoints.router.operations,
    *gaji.imports.employees.endpoints.router.operations,
    *gaji.people.service_periods.endpoints.router.operations,
    *gaji.company.custom_fields.endpoints.router.operations,
    *gaji.people.take_on.endpoints.router.operations,
    *gaji.people.children.endpoints.router.operations,
    *gaji.people.benefits_in_kind.endpoints.router.operations,
    *gaji.people.share_gains.endpoints.router.operations,
    *gaji.payroll.calculation_definitions.endpoints.routes.operations,
    *gaji.payroll.calculations.endpoints.routes.operations,
    *gaji.payroll.profiles.endpoints.routes.operations,
    *gaji.payroll.bulk_input.endpoints.routes.operations,
    *gaji.payroll.payslips.endpoints.router.operations,
    *gaji.payroll.payment_runs.endpoints.router.operations,
    *gaji.payroll.accounting.endpoints.routes.operations,
    *gaji.payroll.account_mappings.endpoints.router.operations,
    *gaji.documents.journal_files.endpoints.router.operations,
    *gaji.payroll.payment_reissues.endpoints.router.operations,
    *gaji.payroll.retro_proposals.endpoints.router.operations,
    *gaji.payroll.withheld_payments.endpoints.router.operations,
    *gaji.documents.payment_files.endpoints.router.operations,
    *gaji.documents.filings.endpoints.router.operations,
    *gaji.documents.deadlines.endpoints.router.operations,
    *gaji.leave.types.endpoints.router.operations,
    *gaji.leave.days.endpoints.router.operations,
    *gaji.leave.adjustments.endpoints.router.operations,
    *gaji.leave.requests.endpoints.router.operations,
    *gaji.leave.medical_certificates.endpoints.router.operations,
    *gaji.leave.balances.endpoints.router.operations,
    *gaji.leave.statutory_leave.endpoints.router.operations,
    *gaji.reports.endpoints.router.operations,
    *gaji.documents.payslips.endpoints.router.operations,
    *gaji.documents.tax_certificates.endpoints.router.operations,
    *gaji.documents.withholding_tax.endpoints.router.operations,
    *gaji.integrations.events.endpoints.router.operations,
    *gaji.integrations.webhooks.endpoints.router.operations,
    *gaji.company.constants.endpoints.router.operations,
)


async def _record_new_address(pool: Pool, origin: RequestOrigin) -> None:
    await record_event(pool, origin.user_id, NEW_ADDRESS, _source(origin), key_id=origin.key_id)


async def _record_download(pool: Pool, origin: RequestOrigin, path: str) -> None:
    await record_event(pool, origin.user_id, DOWNLOAD, _source(origin), key_id=origin.key_id, path=path)


async def _record_identifiers(pool: Pool, origin: RequestOrigin, path: str) -> None:
    await record_event(pool, origin.user_id, IDENTIFIERS, _source(origin), key_id=origin.key_id, path=path)


async def _record_refused(pool: Pool, origin: RequestOrigin, path: str, count: int) -> None:
    if origin.key_id is not None:
        await record_refused_identifiers(pool, origin.user_id, origin.key_id, count, path, _source(origin))


def _source(origin: RequestOrigin) -> AccessSource:
    return AccessSource(origin.address, origin.user_agent)


def create() -> Application:
    """Return the application with settings from the environment."""
    return application(Settings.from_environment())


def application(settings: Settings, *, log: bool = True) -> Application:
    """Return the application with these settings."""
    set_log_level(settings.log_level)
    lifespan = Lifespan(settings, authenticate)
    routes = RouteTable(OPERATIONS)
    single_reads = {operation.path: operation for operation in OPERATIONS if operation.has_entity_tag}

    async def handle_api_request(scope: HTTPScope, receive: Receive) -> HttpResponse:
        route, values = routes.find(scope["method"], scope["path"])
        request_context(scope)["route"] = f"{API_PREFIX}{route.operation.path}"
        return await dispatch_request(lifespan.state(), route, values, scope, receive, single_reads)

    metrics.enable_if_configured()
    traces.enable_if_configured("gaji")
    public_pages = PublicPages(
        [
            *health_pages(lifespan),
            metrics_page(lifespan, settings.metrics_token, None if settings.database_url else settings.data),
            *docs_pages(OPERATIONS, settings.origin),
        ]
    )
    return Application(
        lifespan,
        handle_api_request,
        Console(lifespan, public_pages),
        TrustedProxies(settings.trusted_proxies),
        trail=AccessTrail(RecordAccess(_record_new_address, _record_download, _record_identifiers, _record_refused)),
        public_url=settings.public_url,
        log=log,
    )
