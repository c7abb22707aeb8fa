"""The columns of the sheets, derived from the attributes of employees and children and the calculation types."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

from gaji.company.custom_fields.values import CustomField
from gaji.core.constants import ConstantEntry
from gaji.core.external_references import REFERENCE_NAMES
from gaji.core.field_types import Boolean, DateType, FieldType, Integer, OneOf
from gaji.core.validation import Attribute, Group
from gaji.engine.catalogue import CalculationType, Catalogue, InputField, InputKind
from gaji.payroll.bulk_input.entities import CALCULATION_PREFIX
from gaji.people.children.schemas import CHILD
from gaji.people.employees.days_by_year import DaysByYear
from gaji.people.employees.schemas import EMPLOYEE, RaceType

ID = "id"
NUMBER = "number"
EMPLOYEE_NUMBER = "employee_number"
CUSTOM_FIELDS = "custom_fields"
FIRST_KEYS = (NUMBER, "first_name", "last_name")
"""The first columns after the ID."""
IDENTIFIERS = ("nric", "fin", "malaysian_ic", "passport_number", "bank_account.account_number", "paynow")
"""Columns that are masked for callers who may not see identifiers."""
DEFAULT_TYPES = ("basic_salary", "transport_allowance", "meal_allowance", "housing_allowance", "other_allowance")
"""Calculations that always have columns, even if no employee uses them."""
CLIENT_LISTS = ("wave_id", "pay_point_id")
"""Attributes whose values are records of the client."""
CAPTIONS: Mapping[str, str] = {
    "wave_id": "Pay schedule",
    "pay_point_id": "Pay point",
    "pr_cpf_rates": "CPF rates as PR",
    "pass_from": "Pass valid from",
    "pass_to": "Pass valid to",
    "employment_act_group": "Employment Act group",
    "days_in_singapore": "Days in Singapore by year",
    "business_owner": "Owner of the business",
    "enabling_employment_credit_from": "Enabling Employment Credit from",
    "enabling_new_hire": "Enabling Employment Credit: new hire",
    "uplifting_employment_credit_from": "Uplifting Employment Credit from",
    "bank_account.bank_id": "Bank",
    "paynow": "PayNow number",
    "physical_address.type": "Address type",
    "physical_address.block_no": "Address: block number",
    "physical_address.st_name": "Address: street name",
    "physical_address.level_no": "Address: level number",
    "physical_address.unit_no": "Address: unit number",
    "physical_address.postal_code": "Address: postal code",
    "physical_address.address_line1": "Address: line 1",
    "physical_address.address_line2": "Address: line 2",
    "physical_address.address_line3": "Address: line 3",
    "physical_address.tx_uf_postal_code": "Address: postal code abroad",
    "physical_address.country_code": "Address: country",
}
"""Captions that cannot be derived from the key, by key. They are the words of the console."""
ACRONYMS = re.compile(r"\b(nric|fin|ic|cpf|sdl|pr|id)\b")


class CellFormat(Enum):
    """The format of a column's cells."""

    TEXT = "text"
    NUMBER = "number"
    AMOUNT = "amount"
    DATE = "date"
    BOOLEAN = "boolean"


FORMER_WORDS = {"foreigner without a work permit": "FOREIGNER"}
"""Values by words, in lower case, that earlier versions wrote. Old workbooks still have them."""


@dataclass(frozen=True)
class Column:
    """A column of the sheet."""

    key: str
    """The attribute, as bulk input names it."""
    caption: str
    description: str
    format: CellFormat
    list_name: str | None = None
    """The list of allowed values on the sheet of constants."""
    open_list: bool = False
    """Whether values outside the list are allowed."""
    options: Mapping[str, str] = field(default_factory=dict)
    """The options of a dropdown: names by option id. Cells contain the name."""
    words: Mapping[str, str | int] = field(default_factory=dict)
    """The values of the list by the words and codes that cells may contain, in lower case."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The words of the list by value. Empty if the words are not unique."""
    required: bool = False
    default: str | int | bool | None = None
    """The value of an empty cell."""
    minimum: int | None = None
    """The smallest number that cells take in a spreadsheet."""

    @cached_property
    def path(self) -> tuple[str, ...]:
        """The segments of the key."""
        return tuple(self.key.split("."))

    @property
    def is_identifier(self) -> bool:
        """Whether the column is masked for some callers."""
        return self.key in IDENTIFIERS

    @property
    def is_flag(self) -> bool:
        """Whether an empty cell means no, or the default. An empty input of a calculation is not entered."""
        return self.format is CellFormat.BOOLEAN and self.path[0] != CALCULATION_PREFIX

    def with_words(self, entries: Sequence[ConstantEntry]) -> "Column":
        """Return the column with the words of its list."""
        codes = {str(entry.value).casefold(): entry.value for entry in entries}
        names = {str(entry.value): entry.name for entry in entries}
        words = {entry.name.casefold(): entry.value for entry in entries}
        if self.options or "" in words or len(words) < len(entries):
            return replace(self, words=codes)
        former = {word: value for word, value in FORMER_WORDS.items() if value in names}
        return replace(self, words={**former, **words, **codes}, names=names)


def attribute_columns() -> list[Column]:
    """Return the columns of the employee attributes, with groups flattened and without custom fields."""
    columns = [
        column
        for attribute in EMPLOYEE.attributes
        if attribute.name not in (CUSTOM_FIELDS, *REFERENCE_NAMES)
        for column in _attribute_columns(attribute)
    ]
    rank = {key: index for index, key in enumerate(FIRST_KEYS)}
    columns.sort(key=lambda column: rank.get(column.key, len(rank)))
    return [ID_COLUMN, *columns]


def child_columns() -> list[Column]:
    """Return the columns of the sheet of children."""
    columns = (column for attribute in CHILD.attributes for column in _attribute_columns(attribute))
    return [CHILD_ID_COLUMN, EMPLOYEE_NUMBER_COLUMN, *columns]


def custom_columns(custom_fields: Sequence[CustomField]) -> list[Column]:
    """Return the columns of the client's custom fields."""
    return [_custom_column(custom_field) for custom_field in custom_fields]


def calculation_columns(types: Sequence[CalculationType], level: str | None = "employee") -> list[Column]:
    """Return the columns of the inputs that can be entered at a level, or at any level if it is None."""
    return [
        _input_column(calculation_type, input_field)
        for calculation_type in types
        for input_field in calculation_type.inputs
        if level is None or level in input_field.levels
    ]


def recurring_types(catalogue: Catalogue, used_types: Sequence[str]) -> list[CalculationType]:
    """Return the calculations with columns: the default ones, those in use, and all custom items."""
    names = {*DEFAULT_TYPES, *used_types}
    return [item for item in catalogue.types.values() if item.name in names or item.is_custom]


def _attribute_columns(attribute: Attribute, prefix: str = "", caption_prefix: str = "") -> Iterator[Column]:
    caption = caption_of(attribute.name)
    if isinstance(attribute.type, Group):
        for child in attribute.type.attributes:
            yield from _attribute_columns(child, f"{prefix}{attribute.name}.", f"{caption_prefix}{caption}: ")
        return
    key = prefix + attribute.name
    yield Column(
        key=key,
        caption=CAPTIONS.get(key, caption_prefix + caption.lower() if caption_prefix else caption),
        description=attribute.full_description,
        format=_format(attribute.type),
        list_name=_list_name(attribute),
        open_list=isinstance(attribute.type, RaceType),
        required=attribute.required and not prefix,
        default=None if isinstance(attribute.type, DaysByYear) else attribute.default,
    )


def _format(field_type: FieldType) -> CellFormat:
    if isinstance(field_type, OneOf):
        return CellFormat.NUMBER if isinstance(field_type.values[0], int) else CellFormat.TEXT
    formats = (cell_format for known_type, cell_format in TYPE_FORMATS.items() if isinstance(field_type, known_type))
    return next(formats, CellFormat.TEXT)


def _list_name(attribute: Attribute) -> str | None:
    if isinstance(attribute.type, RaceType):
        return attribute.type.choices.list_name
    if isinstance(attribute.type, OneOf):
        return attribute.type.list_name
    return attribute.name if attribute.name in CLIENT_LISTS else None


def _custom_column(custom_field: CustomField) -> Column:
    key = f"{CUSTOM_FIELDS}.{custom_field.id}"
    return Column(
        key=key,
        caption=custom_field.name,
        description=f"Custom field {custom_field.id}, {custom_field.type}.",
        format=CUSTOM_FORMATS[custom_field.type],
        list_name=key if custom_field.options else None,
        options=custom_field.options,
        required=custom_field.required,
    )


def _input_column(calculation_type: CalculationType, input_field: InputField) -> Column:
    key = f"{CALCULATION_PREFIX}.{calculation_type.name}.{input_field.name}"
    return Column(
        key=key,
        caption=f"{calculation_type.caption}: {caption_of(input_field.name.removesuffix('_input')).lower()}",
        description=input_field.description,
        format=INPUT_FORMATS[input_field.kind],
        list_name=key if input_field.choices else None,
    )


def caption_of(name: str) -> str:
    """Return the display text of a name.

    >>> caption_of("pr_cpf_rates"), caption_of("malaysian_ic")
    ('PR CPF rates', 'Malaysian IC')
    """
    words = ACRONYMS.sub(lambda match: match[0].upper(), name.replace("_", " "))
    return words[:1].upper() + words[1:]


TYPE_FORMATS: Mapping[type, CellFormat] = {
    Integer: CellFormat.NUMBER,
    Boolean: CellFormat.BOOLEAN,
    DateType: CellFormat.DATE,
}
CUSTOM_FORMATS: Mapping[str, CellFormat] = {
    "text": CellFormat.TEXT,
    "number": CellFormat.NUMBER,
    "date": CellFormat.DATE,
    "boolean": CellFormat.BOOLEAN,
    "dropdown": CellFormat.TEXT,
}
INPUT_FORMATS: Mapping[InputKind, CellFormat] = {
    InputKind.MONEY: CellFormat.AMOUNT,
    InputKind.QUANTITY: CellFormat.NUMBER,
    InputKind.HALVES: CellFormat.NUMBER,
    InputKind.INTEGER: CellFormat.NUMBER,
    InputKind.PERCENTAGE: CellFormat.NUMBER,
    InputKind.BOOLEAN: CellFormat.BOOLEAN,
    InputKind.DATE: CellFormat.DATE,
    InputKind.MONTH: CellFormat.TEXT,
    InputKind.CHOICE: CellFormat.TEXT,
    InputKind.TEXT: CellFormat.TEXT,
    InputKind.CYCLE: CellFormat.TEXT,
}
ID_COLUMN = Column(
    ID, "Employee ID", "Assigned by Gaji. Leave it empty in the row of a new employee.", CellFormat.NUMBER
)
CHILD_ID_COLUMN = Column(
    ID, "Child ID", "Assigned by Gaji. Leave it empty in the row of a new child.", CellFormat.NUMBER
)
EMPLOYEE_NUMBER_COLUMN = Column(
    EMPLOYEE_NUMBER,
    "Employee number",
    "The number of the employee, as on the sheet Employees. It cannot be changed.",
    CellFormat.TEXT,
    required=True,
)
