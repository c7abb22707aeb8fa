"""Upload and download of medical certificates, as the leave tab and the portal have them."""

from collections.abc import Container, Mapping, Sequence
from typing import Any

import msgspec

from gaji.console.formats import format_day, format_span
from gaji.console.forms import Options
from gaji.console.glossary import label
from gaji.console.pages import Confirmation
from gaji.console.request import PageRequest
from gaji.core.errors import ErrorCode, NotFound, invalid
from gaji.leave.days import service as days
from gaji.leave.medical_certificates import service as certificates
from gaji.leave.medical_certificates.rules import FILE
from gaji.leave.requests import service as requests
from gaji.web.responses import HttpResponse

LEAVE = "leave"
REQUEST, DAY = "request", "day"
KINDS = {"application/pdf": "PDF document", "image/png": "PNG image", "image/jpeg": "JPEG image"}
"""What a certificate is called, because the names of files are not stored."""
MAX_OPTIONS = 50
ADDED, REMOVED = "Medical certificate added", "Medical certificate removed"
REMOVING = Confirmation("Remove this medical certificate?", "The file is deleted. The leave stays as it is.", "Remove")
CHOOSE_LEAVE = ErrorCode("choose_leave", "choose the leave that it is for")
CHOOSE_FILE = ErrorCode("no_file_chosen", "choose a file")


async def store_certificate(request: PageRequest, employee_id: int, type_ids: Container[int] | None = None) -> None:
    """Store the uploaded file for the leave that was chosen, of these types. None: of any type."""
    chosen, content = request.form.get(LEAVE, ""), request.files.get(FILE)
    if not chosen:
        raise invalid(LEAVE, CHOOSE_LEAVE)
    if not content:
        raise invalid(FILE, CHOOSE_FILE)
    values = await certificate_values(request, employee_id, type_ids)
    if chosen not in dict(values["certificate_options"]):
        raise NotFound("This leave does not exist")
    kind, _, record_id = chosen.partition(":")
    add = certificates.add_to_request if kind == REQUEST else certificates.add_to_day
    await add(request.tenant, int(record_id), content)


async def file_response(request: PageRequest, employee_id: int) -> HttpResponse:
    """Return the file of the certificate in the path, as a download."""
    await require_certificate(request, employee_id)
    file = await certificates.read_file(request.tenant, request.ids["medical_certificate_id"])
    disposition = ("Content-Disposition", f'attachment; filename="{file.file_name}"')
    return request.respond(200, file.content, file.media_type, disposition)


async def certificate_values(
    request: PageRequest, employee_id: int, type_ids: Container[int] | None = None
) -> dict[str, Any]:
    """Return the certificates of an employee, latest first, and the leave of these types that one can be added to."""
    listed, _ = await certificates.list_certificates(request.tenant, employee_id, None)
    request_elements, _ = await requests.list_requests(request.tenant, employee_id, None)
    day_elements, _ = await days.list_days(request.tenant, employee_id, None)
    leave_requests = [msgspec.json.decode(element) for element in request_elements]
    leave_days = [msgspec.json.decode(element) for element in day_elements]
    names = {f"{REQUEST}:{entry['id']}": _request_label(entry) for entry in leave_requests}
    names |= {f"{DAY}:{entry['id']}": _day_label(entry) for entry in leave_days}
    return {
        "certificates": [_certificate_values(msgspec.json.decode(element), names) for element in reversed(listed)],
        "certificate_options": _options(
            [entry for entry in leave_requests if _has_type(entry["dates"], type_ids)],
            [entry for entry in leave_days if _has_type([entry], type_ids)],
            names,
        ),
    }


def _options(
    leave_requests: list[dict[str, Any]], leave_days: list[dict[str, Any]], names: Mapping[str, str]
) -> Options:
    """The requests that can still have certificates, and recorded days without a request, latest first."""
    available = [entry for entry in leave_requests if entry["status"] in certificates.OPEN_STATUSES]
    requested = {day["date"] for entry in available for day in entry["dates"]}
    keyed = [(max(day["date"] for day in entry["dates"]), f"{REQUEST}:{entry['id']}") for entry in available]
    keyed += [(entry["date"], f"{DAY}:{entry['id']}") for entry in leave_days if entry["date"] not in requested]
    return [(value, names[value]) for _, value in sorted(keyed, reverse=True)[:MAX_OPTIONS]]


def _has_type(days: Sequence[Mapping[str, Any]], type_ids: Container[int] | None) -> bool:
    return type_ids is None or any(day["type_id"] in type_ids for day in days)


def _certificate_values(certificate: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    request_id, day_id = certificate["leave_request_id"], certificate["leave_day_id"]
    key = f"{DAY}:{day_id}" if request_id is None else f"{REQUEST}:{request_id}"
    return {**certificate, "leave": names.get(key, ""), "kind": KINDS[certificate["media_type"]]}


def _request_label(leave_request: Mapping[str, Any]) -> str:
    dates = sorted(day["date"] for day in leave_request["dates"])
    status = leave_request["status"]
    kind = "request" if status in certificates.OPEN_STATUSES else f"{status} request"
    return f"{format_span(dates[0], dates[-1])}, {label(leave_request['dates'][0]['type'] or '').lower()} ({kind})"


def _day_label(leave_day: Mapping[str, Any]) -> str:
    return f"{format_day(leave_day['date'])}, {label(leave_day['type']).lower()}"


async def require_certificate(request: PageRequest, employee_id: int) -> None:
    """Raise NotFound unless the certificate in the path belongs to the employee."""
    listed, _ = await certificates.list_certificates(request.tenant, employee_id, None)
    certificate_id = request.ids["medical_certificate_id"]
    if certificate_id not in {msgspec.json.decode(element)["id"] for element in listed}:
        raise NotFound(f"Medical certificate {certificate_id} does not exist")
