"""Every page of the console."""

from gaji.console import (
    bulk,
    companies,
    dashboard,
    employee_tabs,
    employees,
    entering,
    files,
    filings,
    journals,
    keys,
    leave,
    once_off,
    papers,
    payslips,
    reports,
    runs,
    settings,
    signing_in,
    two_steps,
    workbooks,
)
from gaji.console.configuring import fields, items, leave_policies, ledger, log, places, profiles, users
from gaji.console.pages import Page
from gaji.console.self_service import own, own_leave
from gaji.console.self_service.admission import admitting

SUBJECTS = (
    files,
    signing_in,
    two_steps,
    companies,
    dashboard,
    workbooks,
    employees,
    employee_tabs,
    entering,
    papers,
    payslips,
    runs,
    once_off,
    journals,
    filings,
    leave,
    bulk,
    reports,
    settings,
    keys,
    fields,
    items,
    ledger,
    leave_policies,
    profiles,
    places,
    users,
    log,
    own,
    own_leave,
)
PAGES: tuple[Page, ...] = tuple(admitting(page) for subject in SUBJECTS for page in subject.pages.declared)
