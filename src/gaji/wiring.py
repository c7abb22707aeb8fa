"""The composition root: connects lower layers to the higher layers that act for them.

Import this module wherever services run: in the server, in the worker and in commands that use services.
"""

from gaji.approvals import client_settings as approval_settings
from gaji.approvals.acts import perform_act
from gaji.approvals.models import Approval, ApprovalKind
from gaji.audit import tasks as audit_tasks
from gaji.company.clients import account_changes as client_accounts
from gaji.company.clients.events import ClientCreated, PaySettingsChanged
from gaji.company.logos import checks as logo_checks
from gaji.company.waves.events import PayDatesChanged
from gaji.console.glossary import label
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.db.events import subscribe
from gaji.db.tenancy import Transaction
from gaji.documents.payment_files import service as payment_files
from gaji.documents.payslips import mail_attachments as payslip_attachments
from gaji.documents.payslips import options as payslip_options
from gaji.documents.payslips.bundles import service as payslip_bundles
from gaji.documents.payslips.bundles.tasks import BUNDLE_TASKS
from gaji.documents.tax_certificates import invalidation as tax_certificates
from gaji.imports.employees import service as employee_imports
from gaji.imports.employees.tasks import IMPORT_TASKS
from gaji.integrations.events import tasks as event_tasks
from gaji.integrations.events.event_writer import record_event
from gaji.integrations.webhooks import dispatcher as webhooks
from gaji.leave.adjustments import queries as adjustments
from gaji.leave.days.working_hours import load_working_hours
from gaji.leave.events import LeaveDecided, LeavePoliciesChanged, LeaveRecorded, LeaveRequested
from gaji.leave.types.defaults import create_default_leave_types
from gaji.leave.types.queries import load_leave_type_ids
from gaji.mail import attachments as mail_attachments
from gaji.mail import mail_tasks, outbox
from gaji.payroll.calculation_definitions.events import TaxTreatmentChanged
from gaji.payroll.calculations.regular_hours.queries import load_regular_hours
from gaji.payroll.payment_runs import finalise as payment_run_finalisation
from gaji.payroll.payment_runs import payslips as payment_run_payslips
from gaji.payroll.payment_runs import tasks as payment_run_tasks
from gaji.payroll.payment_runs.events import FinalisedRunChanged
from gaji.payroll.payslips import recalculation
from gaji.payroll.payslips import service as payslips
from gaji.payroll.payslips import tasks as payslip_tasks
from gaji.payroll.run_steps import service as run_steps
from gaji.payroll.run_steps.tasks import STEP_TASKS
from gaji.people.children.adjustments import find_child_leave_adjustments
from gaji.people.employees import account_changes as employee_accounts
from gaji.people.employees import change_requests as employee_requests
from gaji.people.employees import recent_payslips
from gaji.people.employees.directory import load_employee_labels
from gaji.people.employees.events import EmployeesChanged, TaxDetailsChanged, TaxRecordsChanged
from gaji.people.self_service.access import client_view
from gaji.people.take_on import leave_types
from gaji.privacy.personal_data.pdf_context import find_label
from gaji.privacy.retention import tasks as retention_tasks
from gaji.reports import service as reports
from gaji.reports.tasks import REPORT_TASKS
from gaji.tasks.registry import Sweep, TaskRegistry
from gaji.tasks.task_table import TaskTable


async def _create_leave_types(tx: Transaction, event: ClientCreated) -> None:
    await create_default_leave_types(tx, event.client_id)


async def _recalculate_employees(tx: Transaction, event: EmployeesChanged) -> None:
    await recalculation.recalculate_employees(tx, event.client_id, event.employee_ids)


async def _recalculate_employee(tx: Transaction, event: LeaveRecorded) -> None:
    await recalculation.recalculate_employee(tx, event.client_id, event.employee_id)


async def _recalculate_client(
    tx: Transaction, event: PayDatesChanged | LeavePoliciesChanged | PaySettingsChanged
) -> None:
    await recalculation.recalculate_client(tx, event.client_id)


async def _invalidate_certificates_of_run(tx: Transaction, event: FinalisedRunChanged) -> None:
    await tax_certificates.invalidate_for_run(tx, event.client_id, event.payment_run_id)


async def _invalidate_certificates(tx: Transaction, event: TaxTreatmentChanged) -> None:
    await tax_certificates.invalidate_all(tx, event.client_id)


async def _record_tax_changes(tx: Transaction, event: TaxDetailsChanged) -> None:
    await tax_certificates.record_changes(tx, event.client_id, event.employee_ids)


async def _invalidate_certificates_of_employee(tx: Transaction, event: TaxRecordsChanged) -> None:
    await tax_certificates.invalidate_for_employee(tx, event.client_id, event.employee_id, event.years)


async def _record_leave_change(tx: Transaction, event: LeaveRecorded) -> None:
    await record_event(tx, ResourceEvent(EventType.LEAVE_CHANGED, event.client_id, (event.employee_id,)))


async def _mail_payslips_ready(tx: Transaction, event: ResourceEvent) -> None:
    if event.type == EventType.PAYMENT_RUN_RELEASED:
        for run_id in event.resource_ids:
            await outbox.queue_payslips_ready(tx, event.client_id, int(run_id))


async def _mail_leave_request(tx: Transaction, event: LeaveRequested) -> None:
    if outbox.is_mail_set_up():
        async with client_view(tx, event.client_id):
            labels = await load_employee_labels(tx, event.client_id, [event.employee_id])
        leave_types = [label(name) for name in event.leave_types]
        await outbox.queue_leave_request(tx, event.client_id, labels[event.employee_id].name, event.days, leave_types)


async def _mail_leave_decision(tx: Transaction, event: LeaveDecided) -> None:
    await outbox.queue_leave_decision(tx, event.client_id, event.employee_id, event.days, event.decision, event.comment)


APPROVED_ACTS = {
    ApprovalKind.EMPLOYEE_BANK_ACCOUNT: employee_accounts.change_approved_account,
    ApprovalKind.EMPLOYEE_DETAILS: employee_requests.change_approved_details,
    ApprovalKind.CLIENT_BANK_ACCOUNT: client_accounts.change_approved_account,
    ApprovalKind.PAYMENT_RUN_FINALISATION: payment_run_finalisation.finalise_approved,
    ApprovalKind.PAYMENT_FILE: payment_files.check_approved_file,
    ApprovalKind.APPROVAL_SETTINGS: approval_settings.turn_off,
}


async def _perform_approved_act(tx: Transaction, approval: Approval) -> None:
    await APPROVED_ACTS[approval.kind](tx, approval)


subscribe(ResourceEvent, record_event)
subscribe(ResourceEvent, _mail_payslips_ready)
subscribe(LeaveRecorded, _record_leave_change)
subscribe(ClientCreated, _create_leave_types)
subscribe(EmployeesChanged, _recalculate_employees)
subscribe(LeaveRecorded, _recalculate_employee)
subscribe(PayDatesChanged, _recalculate_client)
subscribe(PaySettingsChanged, _recalculate_client)
subscribe(LeavePoliciesChanged, _recalculate_client)
subscribe(FinalisedRunChanged, _invalidate_certificates_of_run)
subscribe(TaxTreatmentChanged, _invalidate_certificates)
subscribe(TaxDetailsChanged, _record_tax_changes)
subscribe(LeaveRequested, _mail_leave_request)
subscribe(LeaveDecided, _mail_leave_decision)
subscribe(TaxRecordsChanged, _invalidate_certificates_of_employee)

find_child_leave_adjustments.provide(adjustments.find_child_leave_adjustments)
recent_payslips.load_recent_payslips.provide(payslips.load_recent)
leave_types.load_leave_type_ids.provide(load_leave_type_ids)
load_working_hours.provide(load_regular_hours)
perform_act.provide(_perform_approved_act)
find_label.provide(label)
logo_checks.check_printable.provide(payslip_options.check_printable)
mail_attachments.load_payslip_attachment.provide(payslip_attachments.load_attachment)

REPORT_TABLE = TaskTable(
    REPORT_TASKS, "clients_with_reports", "forget_old_reports", "repeatable_read", allows_replica=True
)
BUNDLE_TABLE = TaskTable(
    BUNDLE_TASKS, "clients_with_payslip_bundles", "forget_old_payslip_bundles", "repeatable_read", allows_replica=True
)
IMPORT_TABLE = TaskTable(IMPORT_TASKS, "clients_with_employee_imports", "forget_old_employee_imports", "read_committed")
STEP_TABLE = TaskTable(STEP_TASKS, "clients_with_run_steps", "delete_old_run_steps", "read_committed")

EVERY_MINUTE = "* * * * *"
EVERY_TEN_MINUTES = "*/10 * * * *"
EVERY_NIGHT = "23 18 * * *"
"""02:23 in Singapore. Schedules are in UTC."""

TASKS = TaskRegistry(
    tasks={
        recalculation.TASK: payslip_tasks.calculate_dirty,
        payment_run_payslips.OPEN_TASK: payment_run_tasks.populate_client,
        reports.JOB: REPORT_TABLE.run_client,
        payslip_bundles.JOB: BUNDLE_TABLE.run_client,
        employee_imports.JOB: IMPORT_TABLE.run_client,
        run_steps.JOB: STEP_TABLE.run_client,
        outbox.SEND_TASK: mail_tasks.send_queued,
    },
    sweeps={
        "calculate_payslips": Sweep(payslip_tasks.calculate_dirty_clients, EVERY_TEN_MINUTES),
        "populate_payment_runs": Sweep(payment_run_tasks.populate_all_clients, EVERY_MINUTE),
        "run_reports": Sweep(REPORT_TABLE.run_all_clients, EVERY_MINUTE),
        "run_payslip_bundles": Sweep(BUNDLE_TABLE.run_all_clients, EVERY_MINUTE),
        "run_employee_imports": Sweep(IMPORT_TABLE.run_all_clients, EVERY_MINUTE),
        "run_company_steps": Sweep(STEP_TABLE.run_all_clients, EVERY_MINUTE),
        "add_audit_links": Sweep(audit_tasks.add_links, EVERY_MINUTE),
        "add_access_links": Sweep(audit_tasks.add_access_links, EVERY_MINUTE),
        "announce_law_updates": Sweep(event_tasks.announce_law_updates, EVERY_TEN_MINUTES),
        "delete_old_webhook_deliveries": Sweep(webhooks.delete_old_deliveries, EVERY_TEN_MINUTES),
        "delete_old_events": Sweep(event_tasks.delete_old_events, EVERY_TEN_MINUTES),
        "delete_expired_employee_imports": Sweep(IMPORT_TABLE.delete_expired, EVERY_TEN_MINUTES),
        "delete_expired_payslip_bundles": Sweep(BUNDLE_TABLE.delete_expired, EVERY_TEN_MINUTES),
        "delete_expired_run_steps": Sweep(STEP_TABLE.delete_expired, EVERY_TEN_MINUTES),
        "send_mail": Sweep(mail_tasks.send_queued, EVERY_MINUTE),
        "forget_old_mail": Sweep(mail_tasks.forget_old, EVERY_TEN_MINUTES),
        "enforce_retention": Sweep(retention_tasks.enforce_retention, EVERY_NIGHT),
        "delete_expired_reports": Sweep(REPORT_TABLE.delete_expired, EVERY_TEN_MINUTES),
    },
    services={"dispatch_webhooks": webhooks.dispatch_webhooks},
)
