"""Columns: what can stand in the sheet of employees, derived from the catalogues of attributes and of calculations."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from gaji.company.custom_fields.facts import ShownField
from gaji.core.validation import Attribute, Boolean, DateType, FieldType, Group, Integer, OneOf
from gaji.engine.catalogue import CalculationType, Catalogue, InputField, InputKind
from gaji.payroll.bulk_input.entities import CALCULATION_PREFIX
from gaji.people.employees.rules import EMPLOYEE, Race

ID = "id"
NUMBER = "number"
CUSTOM = "custom_fields"
FIRST = (NUMBER, "first_name", "last_name")
"""Who it is stands first."""
HIDDEN = ("nric", "fin", "malaysian_ic", "passport_number", "bank_account.account_number")
"""Identifiers: masked for those who may not see them."""
ALWAYS = ("basic_salary", "transport_allowance", "meal_allowance", "housing_allowance", "other_allowance")
"""Calculations that have their columns also where nobody has anything entered."""
CAPITALS = re.compile(r"\b(nric|fin|ic|cpf|sdl|pr|id)\b")


class Form(Enum):
    """What a cell is to a spreadsheet."""

    TEXT = "text"
    NUMBER = "number"
    AMOUNT = "amount"
    DAY = "day"
    BOOLEAN = "boolean"


@dataclass(frozen=True)
class Column:
    """One column of the sheet."""

    key: str
    """The attribute as bulk input names it."""
    caption: str
    about: str
    form: Form
    list_name: str | None = None
    """The list on the sheet of constants that its values are from."""
    open_list: bool = False
    """Whether other values than those of the list are possible."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Of a dropdown: by the id of an option, its name, which is what the cells say."""
    required: bool = False
    default: str | int | bool | None = None
    """What an empty cell stands for."""

    @cached_property
    def path(self) -> tuple[str, ...]:
        """The key in its parts."""
        return tuple(self.key.split("."))

    @property
    def is_hidden(self) -> bool:
        """Whether some callers see it masked."""
        return self.key in HIDDEN


def attribute_columns() -> list[Column]:
    """The attributes of employees, groups flattened; custom fields are apart."""
    found = [column for one in EMPLOYEE.attributes if one.name != CUSTOM for column in _columns(one)]
    ahead = {key: place for place, key in enumerate(FIRST)}
    found.sort(key=lambda column: ahead.get(column.key, len(ahead)))
    return [ID_COLUMN, *found]


def custom_columns(fields: Sequence[ShownField]) -> list[Column]:
    """The client's own fields."""
    return [_custom(one) for one in fields]


def calculation_columns(types: Sequence[CalculationType], level: str | None = "employee") -> list[Column]:
    """The inputs of calculations that can be entered on a level; without one, all."""
    return [_input(one, each) for one in types for each in one.inputs if level is None or level in each.levels]


def recurring_types(catalogue: Catalogue, in_use: Sequence[str]) -> list[CalculationType]:
    """The calculations that have columns: the usual, those in use, and all that are the client's own."""
    wanted = {*ALWAYS, *in_use}
    return [one for one in catalogue.types.values() if one.name in wanted or one.is_custom]


def _columns(one: Attribute, prefix: str = "", before: str = "") -> Iterator[Column]:
    caption = before + _caption(one.name)
    if isinstance(one.type, Group):
        for child in one.type.attributes:
            yield from _columns(child, f"{prefix}{one.name}.", f"{caption}: ")
        return
    yield Column(
        key=prefix + one.name,
        caption=caption if not before else before + _caption(one.name).lower(),
        about=one.full_description,
        form=_form(one.type),
        list_name=_list_name(one),
        open_list=isinstance(one.type, Race),
        required=one.required and not prefix,
        default=one.default,
    )


def _form(kind: FieldType) -> Form:
    if isinstance(kind, OneOf):
        return Form.NUMBER if isinstance(kind.values[0], int) else Form.TEXT
    return next((form for one, form in FORMS.items() if isinstance(kind, one)), Form.TEXT)


def _list_name(one: Attribute) -> str | None:
    if isinstance(one.type, Race):
        return one.type.one.list_name
    if isinstance(one.type, OneOf):
        return one.type.list_name
    return one.name if one.name in OF_THE_CLIENT else None


def _custom(one: ShownField) -> Column:
    key = f"{CUSTOM}.{one.id}"
    return Column(
        key=key,
        caption=one.name,
        about=f"The client's own field {one.id}, {one.type}.",
        form=CUSTOM_FORMS[one.type],
        list_name=key if one.options else None,
        options=one.options,
        required=one.required,
    )


def _input(one: CalculationType, each: InputField) -> Column:
    key = f"{CALCULATION_PREFIX}.{one.name}.{each.name}"
    return Column(
        key=key,
        caption=f"{one.caption}: {_caption(each.name.removesuffix('_input')).lower()}",
        about=each.description,
        form=INPUT_FORMS[each.kind],
        list_name=key if each.choices else None,
    )


def _caption(name: str) -> str:
    """What people read for a name.

    >>> _caption("pr_cpf_rates"), _caption("malaysian_ic")
    ('PR CPF rates', 'Malaysian IC')
    """
    words = CAPITALS.sub(lambda found: found[0].upper(), name.replace("_", " "))
    return words[:1].upper() + words[1:]


OF_THE_CLIENT = ("wave_id", "pay_point_id")
"""Attributes whose values are records of the client."""
FORMS: Mapping[type, Form] = {Integer: Form.NUMBER, Boolean: Form.BOOLEAN, DateType: Form.DAY}
CUSTOM_FORMS: Mapping[str, Form] = {
    "text": Form.TEXT,
    "number": Form.NUMBER,
    "date": Form.DAY,
    "boolean": Form.BOOLEAN,
    "dropdown": Form.TEXT,
}
INPUT_FORMS: Mapping[InputKind, Form] = {
    InputKind.MONEY: Form.AMOUNT,
    InputKind.QUANTITY: Form.NUMBER,
    InputKind.HALVES: Form.NUMBER,
    InputKind.PERCENTAGE: Form.NUMBER,
    InputKind.BOOLEAN: Form.BOOLEAN,
    InputKind.DATE: Form.DAY,
    InputKind.CHOICE: Form.TEXT,
    InputKind.TEXT: Form.TEXT,
}
ID_COLUMN = Column(ID, "Employee ID", "Given by Gaji. Leave it empty in the row of a new employee.", Form.NUMBER)
