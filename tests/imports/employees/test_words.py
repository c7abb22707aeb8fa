"""Words of the console and codes in cells."""

from datetime import date
from decimal import Decimal

import pytest

from gaji.core.constants import CONSTANT_LISTS, ConstantEntry
from gaji.imports.employees.cells import is_unchanged, to_cell, to_request_value
from gaji.imports.employees.columns import CellFormat, Column, attribute_columns
from gaji.imports.employees.file_values import Cell

COLUMNS = {
    column.key: column.with_words(CONSTANT_LISTS.get(column.list_name or "", ())) for column in attribute_columns()
}


@pytest.mark.parametrize(
    ("key", "cell", "value"),
    [
        ("legal_status", "Singapore citizen", "CITIZEN"),
        ("legal_status", " singapore  CITIZEN ", "CITIZEN"),
        ("legal_status", "citizen", "CITIZEN"),
        ("legal_status", "Citizn", "Citizn"),
        ("payment_method", "GIRO", "eft_manual"),
        ("race", "Chinese", "CHINESE"),
        ("race", "Chinese-Malay", "CHINESE-MALAY"),
        ("race", "Chinese-Martian", "Chinese-Martian"),
        ("name_format", "last name, then first name", 2),
        ("name_format", 2, 2),
        ("bank_account.bank_id", "DBS Bank / POSB", 7171),
        ("nationality", "singapore", "SG"),
        ("sdl_exempt", "Yes", True),
        ("sdl_exempt", "n", False),
        ("sdl_exempt", None, False),
        ("tax_resident", None, True),
        ("birthdate", "16 Nov 1990", "1990-11-16"),
        ("birthdate", "6 September 1990", "1990-09-06"),
        ("birthdate", "31 Feb 1990", "31 Feb 1990"),
    ],
)
def test_a_cell_has_a_word_or_a_code(key: str, cell: Cell, value: object) -> None:
    assert to_request_value(COLUMNS[key], cell) == value


@pytest.mark.parametrize("key", [key for key, column in COLUMNS.items() if column.names])
def test_every_word_means_its_value(key: str) -> None:
    column = COLUMNS[key]
    for entry in CONSTANT_LISTS[str(column.list_name)]:
        word = to_cell(column, entry.value, words=True)
        assert word == entry.name
        assert to_request_value(column, word) == entry.value
        assert is_unchanged(column, word, entry.value)


def test_words_that_are_not_unique_are_not_used() -> None:
    column = Column("wave_id", "Wave", "", CellFormat.NUMBER, "wave_id")
    twins = column.with_words([ConstantEntry(1, "Monthly"), ConstantEntry(2, "monthly")])
    assert (twins.names, to_request_value(twins, "Monthly"), to_cell(twins, 1, words=True)) == ({}, "Monthly", 1)


def test_amounts_are_read_as_people_write_them() -> None:
    column = Column("calc.bonus.amount", "Bonus", "", CellFormat.AMOUNT)
    texts = ("4,200.50", "$4200.50", "S$ 4,200.50", Decimal("4200.5"))
    assert {to_request_value(column, text) for text in texts} == {Decimal("4200.5")}
    assert to_request_value(column, "4,20.50") == "4,20.50"


def test_an_empty_input_of_a_calculation_is_not_a_no() -> None:
    column = Column("calc.basic_salary.prorate", "Prorate", "", CellFormat.BOOLEAN)
    assert to_request_value(column, None) is None
    assert to_request_value(column, "Yes") is True
    assert is_unchanged(Column("birthdate", "Birthdate", "", CellFormat.DATE), date(1990, 4, 12), "1990-04-12")


def test_words_of_earlier_versions_are_read() -> None:
    column = COLUMNS["legal_status"]
    assert to_request_value(column, "Foreigner without a work permit") == "FOREIGNER"
    assert to_cell(column, "FOREIGNER", words=True) == "Foreigner (Employment Pass, S Pass or other pass)"
