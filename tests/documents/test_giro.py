"""Payment files of every bank, field by field, and their errors."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaji.core.bank_accounts import BICS, BankAccount
from gaji.core.constants import CONSTANT_LISTS
from gaji.documents.giro.bank_formats import GIRO_FORMATS, GiroFormat
from gaji.documents.giro.batch import GiroBatch, GiroPayee, GiroPayer
from gaji.documents.giro.rules import payee_errors, payer_errors
from tests.documents import cimb_reader, dbs_reader, ocbc_reader, pain001_reader, uob_reader

DBS, UOB, UOB_PAYNOW, OCBC_GIRO, OCBC_FAST, CIMB, PAIN_03, PAIN_09 = GIRO_FORMATS
ACCOUNT_FORMATS = [giro_format for giro_format in GIRO_FORMATS if giro_format != UOB_PAYNOW]
READERS: Mapping[str, Callable[[bytes], Any]] = {
    DBS.name: dbs_reader.read,
    UOB.name: uob_reader.read,
    OCBC_GIRO.name: ocbc_reader.read,
    OCBC_FAST.name: ocbc_reader.read,
    CIMB.name: cimb_reader.read,
    PAIN_03.name: pain001_reader.read,
    PAIN_09.name: pain001_reader.read,
}
PAYER = GiroPayer("001-234567-8", "Kopi Trading Pte Ltd", "KOPI01", 7302)
MEI = GiroPayee(1, 71, "Tan Mei Ling", BankAccount(7171, "005", "005-231289-1"), 335_850, date(2026, 1, 31))
RAVI = GiroPayee(2, 72, "Ravi, s/o Kumar", BankAccount(7339, "501", "5011234567"), 1, date(2026, 1, 31))
every_format = pytest.mark.parametrize("giro_format", ACCOUNT_FORMATS, ids=lambda giro_format: giro_format.name)


def batch(*payees: GiroPayee, **changes: Any) -> GiroBatch:
    """Return the payments of run 7."""
    run_batch = GiroBatch(7, PAYER, payees or (MEI, RAVI), datetime(2026, 1, 28, 9, 30))  # noqa: DTZ001
    return replace(run_batch, **changes)


def test_a_dbs_file_has_the_specified_fields() -> None:
    file = dbs_reader.read(DBS.encode(batch()))
    assert file.total_cents == 335_851
    assert file.header == ["HEADER", "28012026", "KOPI01", "Kopi Trading Pte Ltd"]
    mei, ravi = (payment.fields for payment in file.payments)
    assert {number: text for number, text in mei.items() if text} == {
        1: "PAYMENT",
        2: "BPY",
        3: "0012345678",
        4: "SGD",
        5: "71",
        6: "SGD",
        7: "00007",
        8: "31012026",
        9: "OUR",
        11: "Tan Mei Ling",
        16: "0052312891",
        18: "7171",
        19: "005",
        28: "3358.50",
        33: "22",
        34: "SALARY",
    }
    assert [ravi[number] for number in (11, 16, 18, 19, 28)] == ["Ravi s/o Kumar", "1234567", "7339", "501", "0.01"]


def test_a_dbs_file_byte_by_byte() -> None:
    payment = (
        "PAYMENT,BPY,0012345678,SGD,71,SGD,00007,31012026,OUR,,Tan Mei Ling,,,,,0052312891,,7171,005,,,,,,,,,3358.50"
    )
    header = "HEADER,28012026,KOPI01,Kopi Trading Pte Ltd"
    trailer = "TRAILER,00000001,3358.50"
    assert DBS.encode(batch(MEI)).decode() == f"{header}\r\n{payment},,,,,22,SALARY\r\n{trailer}\r\n"


def test_a_uob_file_has_the_specified_fields() -> None:
    file = uob_reader.read(UOB.encode(batch()))
    assert {number: text for number, text in file.batch.items() if text} == {
        1: "HD2",
        2: "IBG",
        3: "20260131",
        4: "KOPI01",
        7: "RUN7",
        8: "SALA",
        10: "UOVBSGSGXXX",
        11: "SG",
        12: "0012345678",
        13: "SGD",
        14: "Kopi Trading Pte Ltd",
    }
    mei, ravi = file.details
    assert {number: text for number, text in mei.fields.items() if text} == {
        1: "DTL",
        2: "71",
        3: "3358.50",
        4: "SGD",
        10: "SALA",
        12: "N",
        19: "DBSSSGSGXXX",
        20: "0052312891",
        21: "Tan Mei Ling",
        30: "Tan Mei Ling",
    }
    assert [ravi.fields[number] for number in (3, 19, 20, 21)] == [
        "0.01",
        "OCBCSGSGXXX",
        "5011234567",
        "Ravi, s/o Kumar",
    ]


def test_a_uob_file_byte_by_byte() -> None:
    lines = UOB.encode(batch(MEI)).decode().split("\n")
    assert lines == [
        "HD1~PAIDE2801007~20260128~093000~UOVBSGSGXXX",
        "HD2~IBG~20260131~KOPI01~~~RUN7~SALA~~UOVBSGSGXXX~SG~0012345678~SGD~Kopi Trading Pte Ltd",
        "DTL~71~3358.50~SGD~~~~~~SALA~~N~~~~~~~DBSSSGSGXXX~0052312891~Tan Mei Ling~~~~~~~~~Tan Mei Ling~~~",
        "FT2~0000000001~00000000000000335850",
        "FT1~0000000001",
        "",
    ]


def test_file_names_contain_the_run() -> None:
    assert DBS.file_name(batch()) == "dbs_giro_7.csv"
    assert UOB.file_name(batch()) == "PAIDE2801007"
    assert UOB.file_name(batch(payment_run_id=1000)) == "PAIDE2801001"
    assert dbs_reader.read(DBS.encode(batch(payment_run_id=99_999))).payments[0].fields[7] == "99999"
    assert dbs_reader.read(DBS.encode(batch(payment_run_id=100_000))).payments[0].fields[7] == "00001"


def test_long_names_are_cut() -> None:
    long_name = replace(MEI, name="Wan " * 90)
    assert dbs_reader.read(DBS.encode(batch(long_name))).payments[0].fields[11] == ("Wan " * 9)[:35]
    detail = uob_reader.read(UOB.encode(batch(long_name))).details[0]
    assert detail.name == ("Wan " * 70)[:280]
    assert detail.fields[21] == ("Wan " * 35)[:140].rstrip()
    lengths = {giro_format.name: len(giro_format.name_in_file(long_name)) for giro_format in ACCOUNT_FORMATS}
    assert lengths == {
        DBS.name: 35,
        UOB.name: 279,
        OCBC_GIRO.name: 139,
        OCBC_FAST.name: 139,
        CIMB.name: 99,
        PAIN_03.name: 139,
        PAIN_09.name: 139,
    }


def test_an_ocbc_file_has_the_specified_columns() -> None:
    file = ocbc_reader.read(OCBC_GIRO.encode(batch()))
    assert {position: text for position, text in file.header.items() if text} == {
        (1, 2): "30",
        (6, 13): "20260128",
        (14, 24): "OCBCSGSGXXX",
        (25, 58): "0012345678",
        (206, 209): "GIRO",
        (210, 225): "RUN7",
        (226, 233): "31012026",
    }
    assert {position: text for position, text in file.payments[1].items() if text} == {
        (1, 11): "OCBCSGSGXXX",
        (12, 45): "5011234567",
        (46, 185): "Ravi, s/o Kumar",
        (189, 205): "00000000000000001",
        (206, 240): "SALARY",
        (241, 244): "SALA",
        (245, 279): "72",
    }
    assert ocbc_reader.read(OCBC_FAST.encode(batch())).header[206, 209] == "FAST"


def test_a_fast_transfer_has_a_limit() -> None:
    assert payee_errors(OCBC_FAST, batch(replace(MEI, amount_cents=20_000_000))) == {}
    [error] = payee_errors(OCBC_FAST, batch(replace(MEI, amount_cents=20_000_001)))[1]
    assert error.message == "$200,000.01 cannot be paid; the maximum is $200,000.00"
    assert payee_errors(OCBC_GIRO, batch(replace(MEI, amount_cents=20_000_001))) == {}


def test_a_cimb_file_byte_by_byte() -> None:
    assert CIMB.encode(batch()).decode().split("\r\n") == [
        "0012345678,Kopi Trading Pte Ltd,SGD,3358.51,SALARY RUN 7,2,20260131",
        "0052312891,Tan Mei Ling,SGD,3358.50,SALARY 71,7171,005,N,",
        "1234567,Ravi s/o Kumar,SGD,0.01,SALARY 72,7339,501,N,",
        "",
    ]


@pytest.mark.parametrize("version", ["03", "09"])
def test_a_pain_message_has_the_specified_elements(version: str) -> None:
    giro_format = PAIN_03 if version == "03" else PAIN_09
    later = replace(RAVI, name="Ravi & <Sons>", pay_date=date(2026, 2, 2))
    message = pain001_reader.read(giro_format.encode(batch(MEI, later)))
    assert (message.version, message.payer, message.payer_account, message.payer_bic, message.total_cents) == (
        version,
        "Kopi Trading Pte Ltd",
        "0012345678",
        "MBBESGS2XXX",
        335_851,
    )
    assert [(transfer.reference, transfer.cents, transfer.bic) for transfer in message.transfers] == [
        ("71", 335_850, "DBSSSGSGXXX"),
        ("72", 1, "OCBCSGSGXXX"),
    ]
    assert [transfer.name for transfer in message.transfers] == ["Tan Mei Ling", "Ravi Sons"]
    assert [transfer.account for transfer in message.transfers] == ["0052312891", "5011234567"]
    assert [transfer.execution_date for transfer in message.transfers] == [date(2026, 1, 31), date(2026, 2, 2)]


@pytest.mark.parametrize(
    ("number", "kind"), [("+6591234567", "MSISDN"), ("S1234567D", "NRIC"), ("202699999EHR1", "UEN")]
)
def test_a_paynow_number_takes_the_place_of_the_account(number: str, kind: str) -> None:
    payees = (replace(MEI, paynow=number, bank_account=None), RAVI)
    for giro_format in (OCBC_GIRO, OCBC_FAST):
        assert payee_errors(giro_format, batch(*payees)) == {}
        first, second = ocbc_reader.read(giro_format.encode(batch(*payees))).payments
        assert (first[816, 827], first[828, 967], first[1, 11], first[12, 45]) == (kind, number, "", "")
        assert (second[816, 827], second[828, 967]) == ("", "")
    message = pain001_reader.read(PAIN_09.encode(batch(*payees)))
    assert [transfer.paynow for transfer in message.transfers] == [(kind, number), None]
    assert message.total_cents == 335_851


@pytest.mark.parametrize(
    ("number", "kind"), [("+6591234567", "MSISDN"), ("S1234567D", "NRIC"), ("202699999EHR1", "UEN")]
)
def test_a_uob_file_of_payments_to_paynow_numbers(number: str, kind: str) -> None:
    payees = [replace(MEI, paynow=number, bank_account=None), replace(RAVI, paynow="+6581234567")]
    assert payee_errors(UOB_PAYNOW, batch(*payees)) == {}
    file = uob_reader.read(UOB_PAYNOW.encode(batch(*payees)))
    assert (file.batch[2], file.total_cents) == ("IBGPN", 335_851)
    assert [(detail.fields[19], detail.fields[20]) for detail in file.details] == [
        (kind, number),
        ("MSISDN", "+6581234567"),
    ]
    assert [detail.name for detail in file.details] == ["Tan Mei Ling", "Ravi, s/o Kumar"]


@given(st.integers(1, 5000))
def test_both_uob_files_of_a_run_have_names_of_their_own(run_id: int) -> None:
    names = {giro_format.file_name(batch(payment_run_id=run_id)) for giro_format in (UOB, UOB_PAYNOW)}
    assert len(names) == 2
    assert all(re.fullmatch(r"PAIDE2801(?!000)\d{3}", name) for name in names)


@every_format
def test_files_without_paynow_pay_to_the_account(giro_format: GiroFormat) -> None:
    both = (replace(MEI, paynow="+6591234567"), RAVI)
    assert giro_format.has_paynow == (giro_format.encode(batch(*both)) != giro_format.encode(batch()))
    missing = payee_errors(giro_format, batch(replace(both[0], bank_account=None)))
    assert bool(missing) == (not giro_format.has_paynow)


def test_every_file_of_the_same_payments_pays_the_same_total() -> None:
    assert {READERS[giro_format.name](giro_format.encode(batch())).total_cents for giro_format in ACCOUNT_FORMATS} == {
        335_851
    }


PAYEES = st.lists(
    st.builds(
        GiroPayee,
        employee_id=st.integers(1, 10**9),
        payslip_id=st.integers(1, 10**9),
        name=st.text(max_size=300),
        bank_account=st.sampled_from(
            [MEI.bank_account, RAVI.bank_account, BankAccount(7375, "030", "9101234567")],
        ),
        amount_cents=st.integers(-1, 30_000_000),
        pay_date=st.just(date(2026, 1, 30)),
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda payee: payee.payslip_id,
)


@every_format
@given(PAYEES)
def test_every_batch_without_errors_gives_a_file_that_can_be_read(
    giro_format: GiroFormat, payees: list[GiroPayee]
) -> None:
    refused = payee_errors(giro_format, batch(*payees))
    payable = [payee for payee in payees if payee.employee_id not in refused]
    if payable:
        run_batch = batch(*payable)
        assert not payer_errors(giro_format, run_batch)
        file = READERS[giro_format.name](giro_format.encode(run_batch))
        assert file.total_cents == sum(payee.amount_cents for payee in payable)


@every_format
def test_characters_with_a_meaning_in_the_format_become_spaces(giro_format: GiroFormat) -> None:
    expected = {
        "DBS": "Tan Mei Ling~Ann",
        "UOB": 'Tan "Mei", Ling Ann',
        "OCBC": 'Tan "Mei", Ling~Ann',
        "CIMB": "Tan Mei Ling~Ann",
        "pain.001": "Tan Mei , Ling Ann",
    }
    assert giro_format.name_in_file(replace(MEI, name='Tan "Mei", Ling~Ann')) == expected[giro_format.bank]


@every_format
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bank_account": None}, "is paid by GIRO but has no bank account"),
        ({"name": "陈美玲"}, "the name 陈美玲 contains characters that the file does not support: 陈 美 玲"),
        ({"amount_cents": 0}, "$0.00 cannot be paid"),
        ({"amount_cents": -100}, "-$1.00 cannot be paid"),
        ({"bank_account": BankAccount(1234, "001", "12345678")}, "bank 1234 has no known BIC"),
        ({"bank_account": BankAccount(7302, "A01", "12345678")}, "branch code A01 is not three digits"),
        ({"bank_account": BankAccount(7302, "001", "1234X678")}, "characters other than digits"),
        ({"bank_account": BankAccount(7302, "001", "１２３４")}, "characters other than digits"),
    ],
)
def test_payee_errors_name_the_problem(giro_format: GiroFormat, changes: dict[str, Any], message: str) -> None:
    errors = payee_errors(giro_format, batch(replace(MEI, **changes), RAVI))
    assert errors.keys() == {1}
    assert message in errors[1][0].message


def test_amounts_that_are_too_large_are_errors() -> None:
    assert payee_errors(DBS, batch(replace(MEI, amount_cents=10**11 - 1))) == {}
    [error] = payee_errors(DBS, batch(replace(MEI, amount_cents=10**11)))[1]
    assert error.message == "$1,000,000,000.00 cannot be paid; the maximum is $999,999,999.99"
    assert payee_errors(UOB, batch(replace(MEI, amount_cents=10**11))) == {}


@pytest.mark.parametrize(
    ("account", "number_without_branch"),
    [
        (BankAccount(7171, "005", "0052312891"), "0052312891"),
        (BankAccount(7171, "081", "081231289"), "081231289"),
        (BankAccount(7171, "081", "123456789"), "123456789"),
        (BankAccount(7339, "501", "501-123456-001"), "123456001"),
        (BankAccount(7375, "030", "9101234567"), "9101234567"),
        (BankAccount(7375, "001", "12345678901234"), "12345678901234"),
        (BankAccount(7232, "141", "141123456001"), "123456001"),
        (BankAccount(9548, "146", "146123456221"), "123456221"),
        (BankAccount(7791, "004", "0041234567"), "1234567"),
        (BankAccount(9496, "011", "1101234567"), "1101234567"),
        (BankAccount(7302, "001", "04012345678"), "04012345678"),
        # Published examples
        (BankAccount(7375, "030", "9102031012"), "9102031012"),
        (BankAccount(7375, "001", "860012349101"), "860012349101"),
        (BankAccount(7171, "081", "084102395"), "084102395"),
        (BankAccount(7339, "550", "5501089550"), "1089550"),
        (BankAccount(7232, "146", "146172002492"), "172002492"),
        (BankAccount(9548, "146", "146123843293"), "123843293"),
        (BankAccount(7791, "277", "27767012518738"), "67012518738"),
        (BankAccount(9496, "018", "1803645852"), "1803645852"),
    ],
)
def test_account_numbers_follow_the_rule_of_their_bank(account: BankAccount, number_without_branch: str) -> None:
    assert list(account.errors()) == []
    assert account.number_without_branch == number_without_branch


@pytest.mark.parametrize("account", [BankAccount(7199, "004", "5041920123"), BankAccount(7144, "018", "1803645852")])
def test_accounts_under_the_code_of_a_closed_bank_are_errors(account: BankAccount) -> None:
    """Far Eastern Bank merged into UOB, and Standard Chartered has a new code."""
    [error] = account.errors()
    assert error.message == f"bank {account.bank_id} has no known BIC"
    assert account.number_without_branch == account.number


@pytest.mark.parametrize(
    ("account", "message"),
    [
        (
            BankAccount(7171, "006", "0052312891"),
            "006 does not match the account number; it should be its first three digits",
        ),
        (
            BankAccount(7171, "005", "081231289"),
            "005 does not match the account number; it should be 081 (POSB, 9 digits)",
        ),
        (BankAccount(7171, "005", "00523128"), "has 8 digits; this bank uses 9 digits (POSB) or 10 (DBS)"),
        (BankAccount(7339, "501", "1234567"), "branch code 501 does not match"),
        (BankAccount(7339, "501", "501"), "no digits after the branch code"),
        (BankAccount(7375, "030", "910123456"), "has 9 digits; this bank uses 10 digits"),
        (
            BankAccount(9496, "001", "1101234567"),
            "001 does not match the account number; it should be 0 and its first two digits",
        ),
        (BankAccount(9496, "011", "110123456"), "has 9 digits"),
    ],
)
def test_accounts_that_break_the_rule_of_their_bank_are_errors(account: BankAccount, message: str) -> None:
    [error] = account.errors()
    assert message in error.message


def test_all_payer_errors_are_reported_at_once() -> None:
    later = replace(RAVI, pay_date=date(2026, 2, 2))
    bare = batch(MEI, later, payer=GiroPayer("ABC-1", None, ""))
    assert payer_errors(DBS, bare).messages() == {
        "bank_account.account_number": "must contain only digits for a DBS file",
        "bank_account.account_name": "is required for a DBS file",
        "bank_account.company_id": "is required for a DBS file",
    }
    assert payer_errors(DBS, batch(payer=replace(PAYER, company_id="KOPI-TRADING-01"))).messages() == {
        "bank_account.company_id": "must be at most 12 characters for a DBS file"
    }
    assert payer_errors(PAIN_03, bare).messages() == {
        "bank_account.account_number": "must contain only digits for a pain.001 file",
        "bank_account.account_name": "is required for a pain.001 file",
    }
    assert payer_errors(OCBC_GIRO, bare).keys() == {"bank_account.account_number", "pay_date"}
    assert payer_errors(UOB, bare).messages() == {
        "bank_account.account_number": "must contain only digits for a UOB file",
        "bank_account.account_name": "is required for a UOB file",
        "bank_account.company_id": "is required for a UOB file",
        "pay_date": "the payslips have different pay dates, 2026-01-31, 2026-02-02; a UOB file allows only one",
    }
    [error] = payer_errors(UOB, batch(payer=replace(PAYER, account_name="咖啡"))).values()
    assert error.message == "the name 咖啡 contains characters that the file does not support: 咖 啡"


def test_every_bank_in_the_constants_has_a_bic() -> None:
    assert BICS.keys() == {entry.value for entry in CONSTANT_LISTS["bank_id"]}


@pytest.mark.parametrize(
    ("bank_id", "bic"),
    [(7117, "BSGPSGSG"), (7737, "DNBASGSG"), (8493, "HANDSGSG"), (8509, "INGBSGSG"), (8518, "NDEASGSG")],
)
def test_banks_that_are_in_other_lists_only_can_be_paid(bank_id: int, bic: str) -> None:
    assert BICS[bank_id] == f"{bic}XXX"
    assert list(BankAccount(bank_id, "001", "12345678").errors()) == []
