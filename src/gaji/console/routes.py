"""All pages of the console."""

from gaji.console import (
    api_keys,
    bulk_input,
    calculations,
    companies,
    dashboard,
    downloads,
    employee_import,
    employee_tabs,
    employees,
    filings,
    journals,
    leave,
    once_off_runs,
    payment_runs,
    payslips,
    reports,
    static_files,
    tax_certificates,
)
from gaji.console.auth import invitation, sign_in, two_factor_settings
from gaji.console.pages import Page
from gaji.console.portal import certificates as portal_certificates
from gaji.console.portal import details as portal_details
from gaji.console.portal import leave as portal_leave
from gaji.console.portal import payslips as portal_payslips
from gaji.console.portal.access import restrict_to_role
from gaji.console.settings import (
    accounts,
    audit_log,
    custom_fields,
    items,
    leave_policies,
    overview,
    pay_points,
    payslip_template,
    profile_mappings,
    profiles,
    take_on,
    take_on_form,
    users,
    waves,
)

ROUTERS = (
    static_files.router,
    sign_in.router,
    invitation.router,
    two_factor_settings.router,
    companies.router,
    dashboard.router,
    employee_import.router,
    employees.router,
    employee_tabs.router,
    calculations.router,
    downloads.router,
    payslips.router,
    payment_runs.router,
    once_off_runs.router,
    journals.router,
    filings.router,
    tax_certificates.router,
    leave.router,
    bulk_input.router,
    reports.router,
    overview.router,
    api_keys.router,
    custom_fields.router,
    items.router,
    accounts.router,
    leave_policies.router,
    profiles.router,
    profile_mappings.router,
    payslip_template.router,
    waves.router,
    pay_points.router,
    take_on.router,
    take_on_form.router,
    users.router,
    audit_log.router,
    portal_payslips.router,
    portal_details.router,
    portal_certificates.router,
    portal_leave.router,
)
PAGES: tuple[Page, ...] = tuple(restrict_to_role(page) for router in ROUTERS for page in router.pages)
