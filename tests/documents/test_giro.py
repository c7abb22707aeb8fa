"""Payment files for DBS and UOB, field by field, and what they cannot carry."""

from dataclasses import replace
from datetime import date, datetime
from typing import Any

import pytest

from gaji.core.constants import LISTS
from gaji.documents.giro.accounts import BICS, BankAccount
from gaji.documents.giro.batch import GiroBatch, GiroPayee, GiroPayer
from gaji.documents.giro.rules import faults_of_payees, faults_of_payer
from gaji.documents.giro.formats import FORMS, Form
from tests.documents import dbs_reader, uob_reader

DBS, UOB = FORMS
PAYER = GiroPayer("001-234567-8", "Kopi Trading Pte Ltd", "KOPI01")
MEI = GiroPayee(1, 71, "Tan Mei Ling", BankAccount(7171, "005", "005-231289-1"), 335_850, date(2026, 1, 31))
RAVI = GiroPayee(2, 72, "Ravi, s/o Kumar", BankAccount(7339, "501", "5011234567"), 1, date(2026, 1, 31))
forms = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.bank)


def batch(*payees: GiroPayee, **changes: Any) -> GiroBatch:
    """Payments of run 7."""
    made = GiroBatch(7, PAYER, payees or (MEI, RAVI), datetime(2026, 1, 28, 9, 30))  # noqa: DTZ001
    return replace(made, **changes)


def test_a_file_for_dbs_has_every_field_where_the_table_has_it() -> None:
    found = dbs_reader.read(DBS.written(batch()))
    assert found.total_cents == 335_851
    mei, ravi = (one.fields for one in found.payments)
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
        33: "20",
        34: "SALARY",
    }
    assert [ravi[number] for number in (11, 16, 18, 19, 28)] == ["Ravi s/o Kumar", "1234567", "7339", "501", "0.01"]


def test_a_file_for_dbs_is_these_bytes() -> None:
    payment = (
        "PAYMENT,BPY,0012345678,SGD,71,SGD,00007,31012026,OUR,,Tan Mei Ling,,,,,0052312891,,7171,005,,,,,,,,,3358.50"
    )
    assert DBS.written(batch(MEI)).decode() == (f"HEADER\r\n{payment},,,,,20,SALARY\r\nTRAILER,00000001,3358.50\r\n")


def test_a_file_for_uob_has_every_field_where_the_table_has_it() -> None:
    found = uob_reader.read(UOB.written(batch()))
    assert {number: text for number, text in found.batch.items() if text} == {
        1: "HD2",
        2: "IBG",
        3: "20260131",
        4: "KOPI01",
        7: "RUN7",
        10: "UOVBSGSGXXX",
        11: "SG",
        12: "0012345678",
        13: "SGD",
        14: "Kopi Trading Pte Ltd",
    }
    mei, ravi = found.details
    assert {number: text for number, text in mei.fields.items() if text} == {
        1: "DTL",
        2: "71",
        3: "3358.50",
        4: "SGD",
        10: "SALA",
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


def test_a_file_for_uob_is_these_bytes() -> None:
    lines = UOB.written(batch(MEI)).decode().split("\r\n")
    assert lines == [
        "HD1",
        "HD2~IBG~20260131~KOPI01~~~RUN7~~~UOVBSGSGXXX~SG~0012345678~SGD~Kopi Trading Pte Ltd",
        "DTL~71~3358.50~SGD~~~~~~SALA~~~~~~~~~DBSSSGSGXXX~0052312891~Tan Mei Ling~~~~~~~~~Tan Mei Ling~~~",
        "FT2~0000000001~00000000000000335850",
        "FT1~0000000001",
        "",
    ]


def test_files_are_named_for_their_run() -> None:
    assert DBS.file_name(batch()) == "dbs_giro_7.csv"
    assert UOB.file_name(batch()) == "PAIDE2801007"
    assert UOB.file_name(batch(payment_run_id=1000)) == "PAIDE2801001"
    assert dbs_reader.read(DBS.written(batch(payment_run_id=99_999))).payments[0].fields[7] == "99999"
    assert dbs_reader.read(DBS.written(batch(payment_run_id=100_000))).payments[0].fields[7] == "00001"


def test_long_names_are_cut_to_the_room_there_is() -> None:
    long = replace(MEI, name="Wan " * 90)
    assert dbs_reader.read(DBS.written(batch(long))).payments[0].fields[11] == ("Wan " * 9)[:35]
    detail = uob_reader.read(UOB.written(batch(long))).details[0]
    assert detail.name == ("Wan " * 70)[:280]
    assert detail.fields[21] == ("Wan " * 35)[:140].rstrip()
    assert [form.name_of(long) for form in FORMS] == [("Wan " * 9)[:35], ("Wan " * 70).rstrip()]


@forms
def test_what_has_a_meaning_in_a_form_becomes_a_space(form: Form) -> None:
    name = 'Tan "Mei", Ling~Ann'
    assert form.name_of(replace(MEI, name=name)) == {"DBS": "Tan Mei Ling~Ann", "UOB": 'Tan "Mei", Ling Ann'}[form.bank]


@forms
@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"bank_account": None}, "they are paid by GIRO, but have no bank account"),
        ({"name": "陈美玲"}, "the name 陈美玲 has characters that the file cannot carry: 陈 美 玲"),
        ({"cents": 0}, "$0.00 cannot be paid"),
        ({"cents": -100}, "-$1.00 cannot be paid"),
        ({"bank_account": BankAccount(1234, "001", "12345678")}, "their bank 1234 has no known code"),
        ({"bank_account": BankAccount(7302, "A01", "12345678")}, "branch code A01 is not three digits"),
        ({"bank_account": BankAccount(7302, "001", "1234X678")}, "characters other than digits"),
        ({"bank_account": BankAccount(7302, "001", "１２３４")}, "characters other than digits"),
    ],
)
def test_what_a_form_cannot_carry_of_an_employee_is_said(form: Form, changes: dict[str, Any], fault: str) -> None:
    found = faults_of_payees(form, batch(replace(MEI, **changes), RAVI))
    assert found.keys() == {1}
    assert fault in found[1][0]


def test_an_amount_beyond_the_room_there_is_is_refused() -> None:
    assert faults_of_payees(DBS, batch(replace(MEI, cents=10**11 - 1))) == {}
    assert faults_of_payees(DBS, batch(replace(MEI, cents=10**11))) == {
        1: ["$1,000,000,000.00 cannot be paid; the most is $999,999,999.99"]
    }
    assert faults_of_payees(UOB, batch(replace(MEI, cents=10**11))) == {}


@pytest.mark.parametrize(
    ("account", "beside_branch"),
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
    ],
)
def test_each_banks_accounts_are_written_by_its_rule(account: BankAccount, beside_branch: str) -> None:
    assert list(account.faults()) == []
    assert account.beside_branch == beside_branch


@pytest.mark.parametrize(
    ("account", "fault"),
    [
        (BankAccount(7171, "006", "0052312891"), "branch code 006 is not the branch of their account number"),
        (BankAccount(7171, "005", "081231289"), "branch code 005 is not the branch"),
        (BankAccount(7171, "005", "00523128"), "has 8 digits; the bank's have 9 digits (POSB) or 10 (DBS)"),
        (BankAccount(7339, "501", "1234567"), "branch code 501 is not the branch"),
        (BankAccount(7339, "501", "501"), "nothing after the three digits of its branch"),
        (BankAccount(7375, "030", "910123456"), "has 9 digits; the bank's have 10 digits"),
        (BankAccount(9496, "001", "1101234567"), "branch code 001 is not the branch"),
        (BankAccount(9496, "011", "110123456"), "has 9 digits"),
    ],
)
def test_an_account_against_the_rule_of_its_bank_is_refused(account: BankAccount, fault: str) -> None:
    [found] = account.faults()
    assert fault in found


def test_what_the_payer_lacks_is_said_all_at_once() -> None:
    later = replace(RAVI, pay_date=date(2026, 2, 2))
    bare = batch(MEI, later, payer=GiroPayer("ABC-1", None, ""))
    number = {"bank_account.account_number": "must be digits for a file of {}"}
    assert faults_of_payer(DBS, bare) == {"bank_account.account_number": "must be digits for a file of DBS"}
    assert faults_of_payer(UOB, bare) == {
        **{name: text.format("UOB") for name, text in number.items()},
        "bank_account.account_name": "is required for a file of UOB",
        "bank_account.company_id": "is required for a file of UOB",
        "pay_date": "the payslips are to be paid on 2026-01-31 and 2026-02-02; a file has one day",
    }
    [fault] = faults_of_payer(UOB, batch(payer=replace(PAYER, account_name="咖啡"))).values()
    assert fault == "the name 咖啡 has characters that the file cannot carry: 咖 啡"


def test_every_bank_that_an_account_can_be_with_has_a_bic() -> None:
    assert BICS.keys() == {entry.value for entry in LISTS["bank_id"]}
