"""The application of one server process: every operation, the pages about them, and the console."""

from collections.abc import Sequence

from litestar.types import ASGIApp, HTTPScope, Receive

import gaji.accounting.api
import gaji.bulk_input.api
import gaji.calculation_definitions.api
import gaji.calculations.api
import gaji.clients.api
import gaji.constants.api
import gaji.custom_fields.api
import gaji.documents.payslips.api
import gaji.employees.api
import gaji.filings.api
import gaji.leave.adjustments.api
import gaji.leave.balances.api
import gaji.leave.days.api
import gaji.leave.requests.api
import gaji.leave.types.api
import gaji.pay_points.api
import gaji.payment_files.api
import gaji.payment_runs.api
import gaji.payslips.api
import gaji.profiles.api
import gaji.reports.api
import gaji.service_periods.api
import gaji.spreadsheets.api
import gaji.take_on.api
import gaji.tax_certificates.api
import gaji.waves.api
from gaji.console.serving import Console
from gaji.settings import Settings
from gaji.web.gateway import Gateway, Response
from gaji.web.opening import Opening
from gaji.web.operations import Operation
from gaji.web.proxies import Proxies
from gaji.web.routing import Routing
from gaji.web.serving import serve
from gaji.web.site import site

OPERATIONS: Sequence[Operation] = (
    *gaji.clients.api.routes.operations,
    *gaji.pay_points.api.routes.operations,
    *gaji.waves.api.routes.operations,
    *gaji.employees.api.routes.operations,
    *gaji.spreadsheets.api.routes.operations,
    *gaji.service_periods.api.routes.operations,
    *gaji.custom_fields.api.routes.operations,
    *gaji.take_on.api.routes.operations,
    *gaji.calculation_definitions.api.routes.operations,
    *gaji.calculations.api.routes.operations,
    *gaji.profiles.api.routes.operations,
    *gaji.bulk_input.api.routes.operations,
    *gaji.payslips.api.routes.operations,
    *gaji.payment_runs.api.routes.operations,
    *gaji.accounting.api.routes.operations,
    *gaji.payment_files.api.routes.operations,
    *gaji.filings.api.routes.operations,
    *gaji.leave.types.api.routes.operations,
    *gaji.leave.days.api.routes.operations,
    *gaji.leave.adjustments.api.routes.operations,
    *gaji.leave.requests.api.routes.operations,
    *gaji.leave.balances.api.routes.operations,
    *gaji.reports.api.routes.operations,
    *gaji.documents.payslips.api.routes.operations,
    *gaji.tax_certificates.api.routes.operations,
    *gaji.constants.api.routes.operations,
)


def create() -> ASGIApp:
    """The application, with the settings of the environment."""
    return application(Settings.from_environment())


def application(settings: Settings, *, log: bool = True) -> ASGIApp:
    """The application with these settings."""
    opening = Opening(settings)
    routing = Routing(OPERATIONS)

    async def answer(scope: HTTPScope, receive: Receive) -> Response:
        route, values = routing.find(scope["method"], scope["path"])
        return await serve(opening.service(), route, values, scope, receive)

    return Gateway(answer, Console(opening, site(opening, OPERATIONS)), Proxies(settings.trusted_proxies), log=log)
