"""Every page of the console."""

from gaji.console import companies, dashboard, employee_tabs, employees, filings, journals, leave, payslips, reports, workbooks
from gaji.console import bulk_input
from gaji.console import calculations
from gaji.console import static_files
from gaji.console.auth import invitation
from gaji.console import api_keys
from gaji.console import once_off_runs
from gaji.console import downloads
from gaji.console import payment_runs
from gaji.console.auth import sign_in
from gaji.console.auth import two_factor
from gaji.console.settings import overview
from gaji.console.settings import items, leave_policies, payslip_template, profiles, take_on, take_on_form, users
from gaji.console.settings import custom_fields
from gaji.console.settings import accounts
from gaji.console.settings import audit_log
from gaji.console.settings import profile_mappings
from gaji.console.settings import waves
from gaji.console.pages import Page
from gaji.console.portal import payslips as own
from gaji.console.portal import leave as own_leave
from gaji.console.portal.access import admitting

SUBJECTS = (
    static_files,
    sign_in,
    invitation,
    two_factor,
    companies,
    dashboard,
    workbooks,
    employees,
    employee_tabs,
    calculations,
    downloads,
    payslips,
    payment_runs,
    once_off_runs,
    journals,
    filings,
    leave,
    bulk_input,
    reports,
    overview,
    api_keys,
    custom_fields,
    items,
    accounts,
    leave_policies,
    profiles,
    profile_mappings,
    payslip_template,
    waves,
    take_on,
    take_on_form,
    users,
    audit_log,
    own,
    own_leave,
)
PAGES: tuple[Page, ...] = tuple(admitting(page) for subject in SUBJECTS for page in subject.pages.declared)
