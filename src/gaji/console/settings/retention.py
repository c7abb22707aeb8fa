"""How long the records of a company are kept, and what has reached the end of its period."""

from gaji.company.clients.service import ClientMembership
from gaji.console.confirmations import render_question
from gaji.console.formats import format_count
from gaji.console.forms import build_form
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.request import PageRequest
from gaji.console.settings.record_page import RecordPage, Section
from gaji.core.errors import Forbidden, ValidationError
from gaji.privacy.retention import service
from gaji.privacy.retention.schemas import RETENTION
from gaji.privacy.retention.service import FORMER_EMPLOYEES, MEDICAL_CERTIFICATES, DueRecords, RetentionChange
from gaji.web.responses import HttpResponse

router = PageRouter()

SECTION = Section("retention", "Retention periods", "", "")
PATH = "/companies/{client_id}/settings/retention"
KIND_NAMES = {FORMER_EMPLOYEES: "Former employees", MEDICAL_CERTIFICATES: "Files of medical certificates"}
KIND_NOUNS = {
    FORMER_EMPLOYEES: ("former employee", "former employees"),
    MEDICAL_CERTIFICATES: ("file of a medical certificate", "files of medical certificates"),
}


@router.get(PATH)
async def show_retention(request: PageRequest) -> HttpResponse:
    """Show the retention periods, what is due, and when the task ran."""
    return (await _page(request, await request.company(request.ids["client_id"]))).show(request)


@router.post(PATH, step_up=True)
async def change_retention(request: PageRequest) -> HttpResponse:
    """Change the retention periods. Asks first if records are erased earlier than before."""
    company = await request.company(request.ids["client_id"])
    if not company.is_owner:
        raise Forbidden(f"Only an owner of {company.name} can change its retention periods")
    page = await _page(request, company)
    body = page.form.to_body(request.form)
    try:
        question = await _question(request, company, body)
        if question is not None:
            return render_question(request, question, company)
        await service.update_retention(request.tenant, company.id, body)
    except ValidationError as error:
        return page.show_errors(request, error)
    return request.redirect(request.path, "Retention periods saved")


async def _page(request: PageRequest, company: ClientMembership) -> RecordPage:
    retention = await service.read_retention(request.tenant, company.id)
    return RecordPage(
        company,
        SECTION,
        SECTION.title,
        build_form("retention", RETENTION.attributes, retention),
        template="settings_retention.html",
        values={"retention": retention, "kind_names": KIND_NAMES},
    )


async def _question(request: PageRequest, company: ClientMembership, body: dict[str, object]) -> Confirmation | None:
    """Return what is asked before records are erased earlier than before, or None."""
    change = await service.preview_update(request.tenant, company.id, body)
    if request.form.get("confirmed") == "yes" or not change.erases_earlier:
        return None
    return Confirmation("Keep records for a shorter time?", _effect(change), "Save")


def _effect(change: RetentionChange) -> str:
    due = [_count(records) for records in change.due if records.records]
    if not change.after.enabled:
        return "Owners can erase former employees earlier. Nothing is erased automatically while this is turned off."
    if not due:
        return "Nothing is due tonight. Records are erased in the night after their period has ended, for good."
    return f"{' and '.join(due)} will be erased tonight, and more when their periods end. This cannot be undone."


def _count(records: DueRecords) -> str:
    return format_count(records.records, *KIND_NOUNS[records.kind])
