"""The application of one server process: every operation, the pages about them, and the console."""

from collections.abc import Sequence

from litestar.types import ASGIApp, HTTPScope, Receive

import gaji.company.clients.api
import gaji.company.constants.endpoints
import gaji.company.custom_fields.api
import gaji.company.pay_points.api
import gaji.company.waves.api
import gaji.documents.filings.endpoints
import gaji.documents.payment_files.endpoints
import gaji.documents.payslips.endpoints
import gaji.documents.tax_certificates.endpoints
import gaji.imports.employees.endpoints
import gaji.leave.adjustments.endpoints
import gaji.leave.balances.endpoints
import gaji.leave.days.endpoints
import gaji.leave.requests.endpoints
import gaji.leave.types.endpoints
import gaji.payroll.accounting.endpoints
import gaji.payroll.bulk_input.endpoints
import gaji.payroll.calculation_definitions.endpoints
import gaji.payroll.calculations.endpoints
import gaji.payroll.payment_runs.endpoints
import gaji.payroll.payslips.endpoints
import gaji.payroll.profiles.endpoints
import gaji.people.employees.api
import gaji.people.service_periods.api
import gaji.people.take_on.api
import gaji.reports.endpoints
from gaji.console.app import Console
from gaji.core.settings import Settings
import gaji.wiring  # noqa: F401 - connects the layers
from gaji.identity.service import authenticate
from gaji.web.responses import Gateway, HttpResponse
from gaji.web.lifespan import Lifespan
from gaji.web.operations import Operation
from gaji.web.proxies import TrustedProxies
from gaji.web.route_table import RouteTable
from gaji.web.dispatch import dispatch_request
from gaji.web.docs.endpoints import site

OPERATIONS: Sequence[Operation] = (
    *gaji.company.clients.api.routes.operations,
    *gaji.company.pay_points.api.routes.operations,
    *gaji.company.waves.api.routes.operations,
    *gaji.people.employees.api.routes.operations,
    *gaji.imports.employees.endpoints.routes.operations,
    *gaji.people.service_periods.api.routes.operations,
    *gaji.company.custom_fields.api.routes.operations,
    *gaji.people.take_on.api.routes.operations,
    *gaji.payroll.calculation_definitions.endpoints.routes.operations,
    *gaji.payroll.calculations.endpoints.routes.operations,
    *gaji.payroll.profiles.endpoints.routes.operations,
    *gaji.payroll.bulk_input.endpoints.routes.operations,
    *gaji.payroll.payslips.endpoints.routes.operations,
    *gaji.payroll.payment_runs.endpoints.routes.operations,
    *gaji.payroll.accounting.endpoints.routes.operations,
    *gaji.documents.payment_files.endpoints.routes.operations,
    *gaji.documents.filings.endpoints.routes.operations,
    *gaji.leave.types.endpoints.routes.operations,
    *gaji.leave.days.endpoints.routes.operations,
    *gaji.leave.adjustments.endpoints.routes.operations,
    *gaji.leave.requests.endpoints.routes.operations,
    *gaji.leave.balances.endpoints.routes.operations,
    *gaji.reports.endpoints.routes.operations,
    *gaji.documents.payslips.endpoints.routes.operations,
    *gaji.documents.tax_certificates.endpoints.routes.operations,
    *gaji.company.constants.endpoints.routes.operations,
)


def create() -> ASGIApp:
    """The application, with the settings of the environment."""
    return application(Settings.from_environment())


def application(settings: Settings, *, log: bool = True) -> ASGIApp:
    """The application with these settings."""
    opening = Lifespan(settings, authenticate)
    routing = RouteTable(OPERATIONS)

    async def answer(scope: HTTPScope, receive: Receive) -> HttpResponse:
        route, values = routing.find(scope["method"], scope["path"])
        return await dispatch_request(opening.state(), route, values, scope, receive)

    return Gateway(answer, Console(opening, site(opening, OPERATIONS)), TrustedProxies(settings.trusted_proxies), log=log)
