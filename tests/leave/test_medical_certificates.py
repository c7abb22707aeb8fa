"""Medical certificates: upload, list, download, delete; what is stored and who may do what."""

import io
import struct
import zlib
from typing import Any

import httpx
import pytest

from tests.leave.people import OnLeave
from tests.payroll.payment_runs.runs import paid
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member, created

PDF = b"%PDF-1.7\n1 0 obj\nS1234567D has the flu\nendobj\n%%EOF\n"
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF" + b"\0" * 20 + b"\xff\xd9"
MAX_BYTES = 5 * 1024 * 1024


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width: int = 1) -> bytes:
    """A black image."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, 1, 8, 0, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\0" * (width + 1)))
    return b"\x89PNG\r\n\x1a\n" + header + pixels + chunk(b"IEND", b"")


def upload(member: Member, path: str, content: bytes, media_type: str = "application/octet-stream") -> httpx.Response:
    return member.call("POST", f"{path}/medical_certificates", content=content, headers={"Content-Type": media_type})


def requested(person: OnLeave, date: str = "2026-11-24") -> int:
    body = {"dates": [{"date": date, "type_id": person.types["sick_leave"]}]}
    return created(person.member.post(person.path("leave_requests"), body))


def certificates(person: OnLeave) -> list[dict[str, Any]]:
    return person.listed("medical_certificates")


@pytest.mark.parametrize(
    ("content", "media_type", "extension"),
    [(PDF, "application/pdf", "pdf"), (png(), "image/png", "png"), (JPEG, "image/jpeg", "jpg")],
)
def test_it_works(someone: OnLeave, content: bytes, media_type: str, extension: str) -> None:
    request_id = requested(someone)
    certificate_id = created(upload(someone.member, f"/leave_requests/{request_id}", content, media_type))
    [listed] = certificates(someone)
    assert listed.pop("created_at")
    assert listed == {
        "id": certificate_id,
        "employee_id": someone.id,
        "leave_request_id": request_id,
        "leave_day_id": None,
        "media_type": media_type,
        "size_bytes": len(content),
    }
    file = someone.member.get(f"/medical_certificates/{certificate_id}")
    assert (file.content, file.headers["content-type"]) == (content, media_type)
    assert file.headers["x-content-type-options"] == "nosniff"
    name = f"medical_certificate_{certificate_id}.{extension}"
    assert file.headers["content-disposition"] == f'attachment; filename="{name}"'
    assert someone.member.delete(f"/medical_certificates/{certificate_id}").status_code == 200
    assert certificates(someone) == []
    assert_problem(someone.member.get(f"/medical_certificates/{certificate_id}"), 404)


def test_a_certificate_of_a_leave_day_is_deleted_with_the_day(someone: OnLeave) -> None:
    day_id = someone.take("2026-11-24", "sick_leave")
    certificate_id = created(upload(someone.member, f"/leave_days/{day_id}", PDF))
    assert certificates(someone)[0]["leave_day_id"] == day_id
    assert someone.member.delete(f"/leave_days/{day_id}").status_code == 200
    assert certificates(someone) == []
    assert_problem(someone.member.get(f"/medical_certificates/{certificate_id}"), 404)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty; send a PDF, PNG or JPEG file"),
        (b"<html><script>alert(1)</script></html>", "is not a complete PDF, PNG or JPEG file"),
        (b"%PDF-1.7\ncut off", "is not a complete PDF, PNG or JPEG file"),
        (png()[:-4], "is not a complete PDF, PNG or JPEG file"),
        (png().replace(b"IHDR", b"JHDR"), "is not a complete PDF, PNG or JPEG file"),
        (JPEG[:-2], "is not a complete PDF, PNG or JPEG file"),
        (b"GIF89a" + b"\0" * 20, "is not a complete PDF, PNG or JPEG file"),
        (PDF[:-6] + b"\0" * MAX_BYTES + b"%%EOF", "is larger than 5 MiB"),
    ],
)
def test_the_content_decides(someone: OnLeave, content: bytes, message: str) -> None:
    answer = upload(someone.member, f"/leave_requests/{requested(someone)}", content, "application/pdf")
    assert field_errors(answer) == {"file": message}
    assert certificates(someone) == []


def test_other_media_types_are_rejected(someone: OnLeave) -> None:
    answer = upload(someone.member, f"/leave_requests/{requested(someone)}", PDF, "text/html")
    message = assert_problem(answer, 415)["message"]
    assert message == "Send the body as application/pdf or image/png or image/jpeg, not text/html"


def test_a_decided_request_takes_no_more(someone: OnLeave) -> None:
    request_id = requested(someone)
    assert someone.member.post(f"/leave_requests/{request_id}/decline", {}).status_code == 200
    assert_problem(upload(someone.member, f"/leave_requests/{request_id}", PDF), 409)


def test_one_leave_has_at_most_ten(someone: OnLeave) -> None:
    path = f"/leave_requests/{requested(someone)}"
    for _ in range(10):
        created(upload(someone.member, path, PDF))
    assert_problem(upload(someone.member, path, PDF), 409)


def test_the_file_is_stored_encrypted_and_the_audit_log_has_no_content(someone: OnLeave) -> None:
    certificate_id = created(upload(someone.member, f"/leave_requests/{requested(someone)}", PDF))
    run = someone.member.service.as_owner
    [row] = run("SELECT content_sealed FROM medical_certificates WHERE id = $1", certificate_id)
    assert b"flu" not in row["content_sealed"]
    [log] = run(
        "SELECT after::text FROM audit_log WHERE action = 'medical_certificates.insert' AND row_id = $1", certificate_id
    )
    assert len(log["after"]) < 500
    assert PDF.hex() not in log["after"]
    assert bytes(row["content_sealed"]).hex() not in log["after"]


def test_employees_upload_and_read_their_own_but_do_not_delete_those_of_officers(
    someone: OnLeave, company: Company
) -> None:
    employee = company.member.colleague(company.id, "employee", someone.id)
    certificate_id = created(upload(employee, f"/leave_requests/{requested(someone)}", PDF))
    created(upload(employee, f"/leave_days/{someone.take('2026-11-25', 'sick_leave')}", JPEG))
    assert employee.get(f"/medical_certificates/{certificate_id}").content == PDF
    of_officer = created(upload(someone.member, f"/leave_requests/{requested(someone, '2026-11-26')}", PDF))
    assert_problem(employee.delete(f"/medical_certificates/{of_officer}"), 403)
    other = OnLeave.hired(company)
    assert_problem(upload(employee, f"/leave_requests/{requested(other)}", PDF), 404)


def test_employees_remove_their_own_until_the_leave_is_decided(someone: OnLeave, company: Company) -> None:
    employee, request_id = company.member.colleague(company.id, "employee", someone.id), requested(someone)
    path = f"/leave_requests/{request_id}"
    first, second = (created(upload(employee, path, PDF)) for _ in range(2))
    assert employee.delete(f"/medical_certificates/{first}").status_code == 200
    assert [certificate["id"] for certificate in certificates(someone)] == [second]
    logged = "SELECT FROM audit_log WHERE action = 'medical_certificates.delete' AND row_id = $1"
    assert len(someone.member.service.as_owner(logged, first)) == 1
    assert someone.member.post(f"{path}/approve", {}).status_code == 200
    assert_problem(employee.delete(f"/medical_certificates/{second}"), 409)
    late = created(upload(employee, path, PDF))
    assert employee.delete(f"/medical_certificates/{late}").status_code == 200
    assert someone.member.delete(f"/medical_certificates/{second}").status_code == 200


def test_employees_keep_certificates_of_leave_on_a_finalised_payslip(company: Company) -> None:
    someone = OnLeave.hired(company, appointment_date="2026-01-01")
    employee = company.member.colleague(company.id, "employee", someone.id)
    paid_day, open_day = (someone.take(day, "unpaid_leave") for day in ("2026-01-12", "2026-02-09"))
    paid_id, open_id = (created(upload(employee, f"/leave_days/{day_id}", PDF)) for day_id in (paid_day, open_day))
    paid(company)
    assert_problem(employee.delete(f"/medical_certificates/{paid_id}"), 409)
    assert employee.delete(f"/medical_certificates/{open_id}").status_code == 200
    colleague = OnLeave.hired(company)
    foreign_id = created(upload(someone.member, f"/leave_requests/{requested(colleague)}", PDF))
    assert_problem(employee.delete(f"/medical_certificates/{foreign_id}"), 404)


def test_viewers_read_but_do_not_upload(someone: OnLeave, company: Company) -> None:
    viewer = company.member.colleague(company.id, "viewer")
    path = f"/leave_requests/{requested(someone)}"
    certificate_id = created(upload(someone.member, path, PDF))
    assert viewer.get(f"/medical_certificates/{certificate_id}").content == PDF
    assert_problem(upload(viewer, path, PDF), 403)


def test_a_key_that_hides_identifiers_cannot_read_the_file(someone: OnLeave) -> None:
    certificate_id = created(upload(someone.member, f"/leave_requests/{requested(someone)}", PDF))
    key = someone.member.with_another_key(hide_identifiers=True)
    assert_problem(key.get(f"/medical_certificates/{certificate_id}"), 403)


def test_a_large_image_is_accepted(someone: OnLeave) -> None:
    file = io.BytesIO()
    file.write(PDF[:-6])
    file.write(b"\0" * (MAX_BYTES - len(PDF)))
    file.write(PDF[-6:])
    created(upload(someone.member, f"/leave_requests/{requested(someone)}", file.getvalue(), "application/pdf"))
