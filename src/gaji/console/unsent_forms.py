"""Forms that were sent after their session had ended, or that need a recent sign-in. They come back after it.

The form is in a cookie, encrypted, for some minutes. It is bound to the person who was signed in on the device, and to
the account that they acted in.
"""

import base64
import binascii
import re
import time
import zlib
from collections.abc import Mapping, Sequence

import msgspec

from gaji.console import cookies
from gaji.console.company_names import company_name
from gaji.console.explanation_text import input_text
from gaji.console.formats import format_count, format_month
from gaji.console.glossary import FORMS, FieldText, label
from gaji.console.leave_form import TIME, TIMES, TYPE
from gaji.console.pages import PageRouter
from gaji.console.portal.employment import load_access
from gaji.console.request import PageRequest
from gaji.core.vault import DecryptionError, SealedCell
from gaji.identity.sign_in_limits import is_known_device
from gaji.leave.types import service as leave_type_service
from gaji.people.self_service.service import company_view
from gaji.web.responses import HttpResponse

router = PageRouter()

PATH = "/unsent-form"
LIFETIME_S = 15 * 60
MAX_COOKIE_CHARACTERS = 3_800
"""Browsers accept cookies of 4,096 characters with their names and attributes."""
SECRET_FIELDS = frozenset({"password", "client_secret", "current", "new", "again", "code", "credential"})
"""Fields of forms that are never stored."""
TECHNICAL_FIELDS = frozenset(
    {"form_token", "back", "confirmed", "subject", "late", "check", "return_to", "origin", "edited_change"}
)
FORM_PATHS = {
    "company": re.compile(r"/companies/(new|[0-9]+/details)", re.ASCII),
    "employee": re.compile(r"/companies/[0-9]+/employees/new|/employees/[0-9]+/edit", re.ASCII),
}
"""Where the forms are whose fields have labels of their own, by their name in the glossary."""
ACTIONS = {
    "Create a password slip": re.compile(r"/companies/[0-9]+/settings/users/[0-9]+/reset", re.ASCII),
    "Create a new invitation": re.compile(r"/companies/[0-9]+/settings/users/invitations/[0-9]+/renew", re.ASCII),
    "Download payment files": re.compile(r"/companies/payment_files", re.ASCII),
    "Download CPF files": re.compile(r"/companies/cpf_files", re.ASCII),
    "Finalise the pay run": re.compile(r"/payment_runs/[0-9]+/finalise", re.ASCII),
    "Approve the request": re.compile(r"/companies/[0-9]+/approvals/[0-9]+/approve", re.ASCII),
    "Reject the request": re.compile(r"/companies/[0-9]+/approvals/[0-9]+/reject", re.ASCII),
}
"""What forms do whose entries do not say it, by their path. The button to continue names it."""
CHECKED = "true"
"""The value of a checkbox that is selected."""
REFERENCE = "_id"
"""How the names of fields end whose values are records."""
LISTS = {"physical_address.type": "address_type"}
"""Fields whose list of values has another name."""
SELECTION = "row"
"""The field of the rows that were selected in a table."""
CPF_FILE = re.compile(r"([0-9]{1,18})-([12][0-9]{3}-(?:0[1-9]|1[0-2]))", re.ASCII)
"""The company and the month of a CPF file that was selected."""
PORTAL_LEAVE = re.compile(r"/own/([0-9]{1,18})/leave", re.ASCII)
CELL = SealedCell(0, "cookies", 0, cookies.UNSENT_FORM)


class UnsentForm(msgspec.Struct, frozen=True):
    """A form that has not been handled."""

    path: str
    back: str
    """The page that it was on."""
    fields: list[tuple[str, str]]
    device: str
    """The device cookie, which is that of the person who was signed in."""
    user_id: int
    """The user that they acted as."""
    sent_at: float


@router.get(PATH)
async def show_unsent_form(request: PageRequest) -> HttpResponse:
    """Show the entries of the form, to be sent again."""
    form = _open_form(request)
    if form is None:
        return request.redirect("/")
    leave_types = await _load_leave_types(request, form)
    texts = [
        (_field_label(form.path, name), _entry_text(name, value, leave_types))
        for name, value in form.fields
        if value and name not in {*TECHNICAL_FIELDS, SELECTION}
    ]
    action = next((action for action, pattern in ACTIONS.items() if pattern.fullmatch(form.path)), "")
    if action:
        subject = dict(form.fields).get("subject", "")
        texts.insert(0, ("Action", f"{action} for {subject}" if subject else action))
    texts += await _selection_texts(request, [value for name, value in form.fields if name == SELECTION and value])
    entries = [entry for entry in texts if entry[1]]
    return request.render("unsent_form.html", unsent=form, entries=entries, action=action)


def _field_label(path: str, name: str) -> str:
    """Return the label of a field, as its form has it.

    >>> _field_label("/companies/1/details", "bank_account.bank_id"), _field_label("/companies/1/leave", "reason")
    ('Bank', 'Reason')
    """
    form = next((form for form, pattern in FORM_PATHS.items() if pattern.fullmatch(path)), "")
    return FORMS.get(form, {}).get(name, FieldText()).label or label(name)


def _entry_text(name: str, value: str, leave_types: Mapping[str, str]) -> str:
    """Return what was entered in a field. It is empty for a record whose name is not known."""
    if value == CHECKED:
        return "Yes"
    if name == TYPE.name and value in leave_types:
        return leave_types[value]
    if name == TIME.name and value in dict(TIMES):
        return dict(TIMES)[value]
    text = input_text(value, LISTS.get(name, name.rpartition(".")[2]))
    return "" if name.endswith(REFERENCE) and text == value and value.isdecimal() else text


async def _selection_texts(request: PageRequest, values: Sequence[str]) -> list[tuple[str, str]]:
    """Return the CPF files that were selected by company and month, and how many other rows were."""
    names = {str(company.id): company_name(company) for company in await request.companies()} if values else {}
    matches = [match for match in map(CPF_FILE.fullmatch, values) if match and match[1] in names]
    texts = [("CPF file", f"{names[match[1]]}, {format_month(match[2])}") for match in matches]
    others = len(values) - len(matches)
    return [*texts, ("Selected", format_count(others, "row"))] if others else texts


async def _load_leave_types(request: PageRequest, form: UnsentForm) -> dict[str, str]:
    """Load the names of leave types by ID, if the form is a leave request of an employee."""
    match = PORTAL_LEAVE.fullmatch(form.path)
    employments = (await load_access(request)).employments if match else ()
    for employment in employments:
        if match and employment.employee_id == int(match[1]):
            async with company_view(request.tenant, employment):
                names = await leave_type_service.list_types(request.tenant, employment.client_id)
            return {str(type_id): label(name) for type_id, name in names.items()}
    return {}


def seal_form(request: PageRequest, user_id: int) -> str | None:
    """Return the value of the cookie for a form of this user, or None if it has passwords or files or is too large."""
    device = cookies.read_cookies(request.scope).get(cookies.DEVICE, "")
    if not request.fields or request.files or not device or not SECRET_FIELDS.isdisjoint(request.fields):
        return None
    fields = [(name, value) for name, values in request.fields.items() for value in values if name != "form_token"]
    form = UnsentForm(request.path, request.back_path, fields, device, user_id, time.time())
    sealed = request.state.vault.seal(zlib.compress(msgspec.msgpack.encode(form), 9), CELL)
    text = base64.urlsafe_b64encode(sealed).decode().rstrip("=")
    return text if len(text) <= MAX_COOKIE_CHARACTERS else None


def _open_form(request: PageRequest) -> UnsentForm | None:
    """Return the form in the cookie, if it is the user's own and recent."""
    text = cookies.read_cookies(request.scope).get(cookies.UNSENT_FORM, "")
    try:
        sealed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        data = zlib.decompress(request.state.vault.open_bytes(sealed, CELL))
        form = msgspec.msgpack.decode(data, type=UnsentForm)
    except (DecryptionError, binascii.Error, ValueError, zlib.error):
        return None
    user = request.user
    if user is None or request.acting_user_id != form.user_id or time.time() - form.sent_at >= LIFETIME_S:
        return None
    return form if is_known_device(request.state.vault, user.home_user_id, form.device) else None
