"""The CPF EZPay file, byte by byte, checked with an independent reader."""

from dataclasses import replace
from datetime import date, datetime
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaji.documents.ezpay.file_format import encode_submission, file_name
from gaji.documents.ezpay.rules import FORBIDDEN, member_errors, total_errors
from gaji.documents.ezpay.submission import CpfSubmission, MemberStatus, SubmissionMember, member_status
from gaji.law.months import Month
from tests.documents import ezpay_reader
from tests.support.company import new_nric

MONTH = Month(2026, 1)
MEI = SubmissionMember(
    1,
    "Tan Mei Ling",
    "S1234567D",
    None,
    MemberStatus.EXISTING,
    ordinary_cents=420_000,
    additional_cents=100_050,
    cpf_cents=192_418,
    cdac_cents=200,
    sdl_cents=1125,
)
RAHIM = SubmissionMember(
    2, "Rahim", None, "G1612350T", MemberStatus.NEW, mbmf_cents=450, community_chest_cents=500, sdl_cents=499
)
ARUN = SubmissionMember(
    3, "Arun s/o Pillai", "T0000001E", None, MemberStatus.LEAVER, cpf_cents=37, sinda_cents=100, ecf_cents=200
)


def submission(*members: SubmissionMember, **changes: Any) -> CpfSubmission:
    """Return the submission of a company for January 2026."""
    built = CpfSubmission("202699999E", "PTE", "01", 1, MONTH, datetime(2026, 2, 3, 14, 5, 9), members)  # noqa: DTZ001
    return replace(built, **changes)


def test_it_works() -> None:
    data = encode_submission(submission(MEI, RAHIM, ARUN))
    file = ezpay_reader.read(data)
    assert file.header == {
        "submission_mode": "F",
        "record_type": "",
        "employer": "202699999E",
        "payment_type": "PTE",
        "serial": "01",
        "blank": "",
        "advice_code": "01",
        "created_on": "20260203",
        "created_at": "140509",
        "file_id": "FTP.DTL",
        "rest": "",
    }
    assert {record["payment_code"]: (int(record["amount"]), int(record["donors"])) for record in file.summaries} == {
        "01": (192_455, 0),
        "02": (450, 1),
        "03": (100, 1),
        "04": (200, 1),
        "05": (200, 1),
        "10": (500, 1),
        "11": (1600, 0),
    }
    assert {record["month"] for record in file.summaries} == {"202601"}
    mei = file.details_of("01")["S1234567D"]
    assert [mei[name] for name in ("amount", "ordinary", "additional", "status", "name")] == [
        "000000192418",
        "0000420000",
        "0000100050",
        "E",
        "Tan Mei Ling",
    ]
    assert file.details_of("02")["G1612350T"]["name"] == "Rahim"
    assert file.details_of("03").keys() == file.details_of("05").keys() == {"T0000001E"}
    assert file.trailer["records"] == "0000015"
    assert int(file.trailer["total"]) == 192_455 + 450 + 100 + 200 + 200 + 500 + 1600


def test_records_match_the_layout_byte_by_byte() -> None:
    lines = encode_submission(submission(MEI, employer="53999999K")).decode().split("\r\n")
    assert lines[0] == "F 53999999K PTE01 0120260203140509FTP.DTL".ljust(150)
    assert lines[1] == "F053999999K PTE01 01202601010000001924180000000".ljust(150)
    detail = "F153999999K PTE01 0120260101S1234567D00000019241800004200000000100050ETan Mei Ling"
    assert lines[4] == detail.ljust(150)
    assert lines[5] == "F153999999K PTE01 0120260104S1234567D000000000200" + "0" * 20 + " Tan Mei Ling".ljust(81)
    assert lines[6] == "F953999999K PTE01 010000007000000000193718".ljust(150)
    assert lines[7:] == [""]


def test_the_skills_development_levy_is_rounded_down_once_per_company() -> None:
    members = [
        replace(RAHIM, employee_id=number, mbmf_cents=0, community_chest_cents=0, sdl_cents=399) for number in range(3)
    ]
    assert ezpay_reader.read(encode_submission(submission(*members))).amount("11") == 1100


def test_the_file_name_follows_the_specification() -> None:
    assert file_name(submission(employer="234567891A", month=Month(2022, 1))) == "234567891APTE01JAN202201.DTL"
    assert file_name(submission(employer="53999999K", advice_code=12)) == "53999999KPTE01JAN202612.DTL"


def test_long_names_are_cut_and_diacritics_dropped() -> None:
    name = "Nguyễn Thị " + "Ánh" * 30
    data = encode_submission(submission(replace(MEI, name=name)))
    assert ezpay_reader.read(data).details_of("01")["S1234567D"]["name"] == ("Nguyen Thi " + "Anh" * 30)[:66]


@pytest.mark.parametrize("character", [*sorted(FORBIDDEN - {"`"}), "陈", "த", "\x7f"])
def test_names_with_forbidden_characters_are_errors(character: str) -> None:
    [error] = member_errors(submission(replace(MEI, name=f"Tan {character} Mei")))[1]
    expected = f"the name Tan {character} Mei contains characters that the file does not support: {character}"
    assert error.message == expected


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nric": None, "cdac_cents": 0}, "CPF is payable but the employee has no NRIC"),
        ({"nric": None, "cpf_cents": 0}, "CDAC is payable but the employee has no NRIC or FIN"),
        ({"cpf_cents": -1}, "CPF for the month is negative: -$0.01"),
        ({"sdl_cents": -200}, "Skills development levy for the month is negative: -$2.00"),
        ({"ordinary_cents": 10**10}, "the file allows at most $99,999,999.99"),
        ({"additional_cents": -5}, "additional wages for the month is negative: -$0.05"),
        ({"cpf_cents": 10**12}, "the file allows at most $9,999,999,999.99"),
        ({"name": "\u0301"}, "contains no characters that the file supports"),
    ],
)
def test_member_errors_name_the_problem(changes: dict[str, Any], message: str) -> None:
    [error] = member_errors(submission(replace(MEI, **changes)))[1]
    assert message in error.message


def test_all_member_errors_are_reported_at_once() -> None:
    wrong = replace(MEI, nric=None, name="_", additional_cents=-1)
    errors = member_errors(submission(wrong, RAHIM, replace(ARUN, nric=None)))
    assert {employee_id: len(problems) for employee_id, problems in errors.items()} == {1: 4, 3: 2}


def test_a_member_without_detail_records_needs_no_name_or_number() -> None:
    member = replace(RAHIM, name="陈", fin=None, mbmf_cents=0)
    assert member_errors(submission(member)) == {}
    assert ezpay_reader.read(encode_submission(submission(member))).details == []


def test_totals_that_are_too_large_are_errors() -> None:
    half = replace(MEI, cpf_cents=6 * 10**11, cdac_cents=0)
    both = submission(half, replace(half, employee_id=2, nric="T0000001E"))
    assert member_errors(both) == {}
    message = "CPF totals $12,000,000,000.00; the file allows at most $9,999,999,999.99"
    assert total_errors(both).messages() == {"payments.01": message}


@pytest.mark.parametrize(
    ("service", "expected"),
    [
        ([("2024-02-01", None)], MemberStatus.EXISTING),
        ([("2025-12-31", "2026-02-01")], MemberStatus.EXISTING),
        ([("2024-02-01", "2026-01-15")], MemberStatus.LEAVER),
        ([("2024-02-01", "2026-01-31")], MemberStatus.LEAVER),
        ([("2024-02-01", "2025-12-15")], MemberStatus.LEAVER),
        ([("2026-01-01", None)], MemberStatus.NEW),
        ([("2026-01-31", "2026-02-27")], MemberStatus.NEW),
        ([("2026-01-05", "2026-01-20")], MemberStatus.JOINED_AND_LEFT),
        ([("2024-02-01", "2026-01-10"), ("2026-01-20", None)], MemberStatus.EXISTING),
        ([("2024-02-01", "2026-01-10"), ("2026-02-01", None)], MemberStatus.LEAVER),
        ([("2024-02-01", "2025-12-31"), ("2026-01-01", None)], MemberStatus.NEW),
        ([("2024-02-01", "2025-06-30"), ("2026-01-12", None)], MemberStatus.NEW),
        ([("2024-02-01", "2025-06-30"), ("2026-01-12", "2026-01-23")], MemberStatus.JOINED_AND_LEFT),
        ([("2024-02-01", "2025-06-30"), ("2026-02-02", None)], MemberStatus.LEAVER),
    ],
)
def test_the_status_depends_on_the_days_of_service(
    service: list[tuple[str, str | None]], expected: MemberStatus
) -> None:
    days = [(date.fromisoformat(start), end and date.fromisoformat(end)) for start, end in service]
    assert member_status([(start, end or None) for start, end in days], MONTH) is expected


amounts = st.integers(0, 10**9)
letters = st.text(st.characters(min_codepoint=32, max_codepoint=0x17F, exclude_characters=FORBIDDEN), min_size=1)


@given(
    st.lists(st.tuples(letters, st.sampled_from(MemberStatus), amounts, amounts, amounts, amounts, amounts), max_size=8)
)
def test_submissions_without_errors_are_read_back_unchanged(
    rows: list[tuple[str, MemberStatus, int, int, int, int, int]],
) -> None:
    numbers = count(1)
    members = [
        SubmissionMember(next(numbers), name, new_nric(), None, status, ordinary, additional, cpf, fund, sdl_cents=sdl)
        for name, status, ordinary, additional, cpf, fund, sdl in rows
    ]
    complete = submission(replace(MEI, employee_id=0), *members)
    errors = member_errors(complete)
    valid = replace(complete, members=[member for member in complete.members if member.employee_id not in errors])
    file = ezpay_reader.read(encode_submission(valid))
    assert file.details_of("01").keys() == {member.nric for member in valid.members if member.cpf_cents}
    assert file.amount("02") == sum(member.mbmf_cents for member in valid.members)
    assert file.amount("11") == sum(member.sdl_cents for member in valid.members) // 100 * 100
