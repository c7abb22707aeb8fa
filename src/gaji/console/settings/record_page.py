"""Shared parts of the settings pages: a list of records, and a form for each."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec

from gaji.company.clients.service import ClientMembership
from gaji.console.forms import Form
from gaji.console.request import PageRequest
from gaji.console.tables import Table, build_table
from gaji.core.errors import Conflict, NotFound, ValidationError
from gaji.web.responses import HttpResponse

Element = dict[str, Any]
Row = tuple[str, Sequence[str]]
"""The link of a row (empty if it has none), and its cells."""


@dataclass(frozen=True)
class Section:
    """A part of the settings."""

    name: str
    """The last part of its path."""
    title: str
    about: str
    empty: str
    """The text that is shown while there are no records."""

    def path(self, client_id: int) -> str:
        """Return the path of its list."""
        return f"/companies/{client_id}/settings/{self.name}".rstrip("/")


@dataclass(frozen=True)
class RecordPage:
    """The form of one record."""

    company: ClientMembership
    section: Section
    title: str
    form: Form
    delete_path: str = ""
    """Where the record is deleted. Empty if it cannot be deleted."""
    template: str = "settings_record.html"
    values: Mapping[str, Any] = field(default_factory=dict)
    """Further values for the template."""

    def show(self, request: PageRequest, form: Form | None = None, status: int = 200) -> HttpResponse:
        """Return the page, with another form if one is given."""
        return request.render(
            self.template,
            status=status,
            company=self.company,
            here="Settings",
            section=self.section,
            title=self.title,
            form=form or self.form,
            delete_path=self.delete_path,
            **self.values,
        )

    async def save(
        self,
        request: PageRequest,
        work: Awaitable[object],
        notice: str,
        error_fields: Mapping[str, str] | None = None,
        next_path: str = "",
    ) -> HttpResponse:
        """Run the action and redirect to the list or to `next_path`, or show the errors.

        `error_fields` names the field for errors whose path is not the name of a field, by the start of the path.
        """
        try:
            await work
        except (ValidationError, Conflict) as error:
            return self.show_errors(request, error, error_fields)
        return request.redirect(next_path or self.section.path(self.company.id), notice)

    def show_errors(
        self, request: PageRequest, error: ValidationError | Conflict, error_fields: Mapping[str, str] | None = None
    ) -> HttpResponse:
        """Return the page with the submitted values and the errors."""
        form = self.form.with_values(request.form).with_errors(error, error_fields)
        return self.show(request, form, error.status)


def list_page(
    request: PageRequest,
    company: ClientMembership,
    section: Section,
    columns: Sequence[str],
    rows: Sequence[Row],
    add_label: str = "",
) -> HttpResponse:
    """Return the list of a section, with a button to add a record. It can be sorted by each column."""
    keys = {column: partial(_cell_text, index) for index, column in enumerate(columns)}
    table: Table[Row] = build_table(request, rows, keys, searched=lambda row: " ".join(row[1]))
    return request.render(
        "settings_list.html",
        company=company,
        here="Settings",
        section=section,
        columns=columns,
        table=table,
        has_rows=bool(rows),
        add_label=add_label if company.can_write else "",
    )


def _cell_text(index: int, row: Row) -> str | None:
    return row[1][index] or None


def decode_elements(page: tuple[Sequence[str], int]) -> list[Element]:
    """Return the decoded elements of a list that a service returned."""
    return [msgspec.json.decode(element) for element in page[0]]


def get_by_id(elements: Sequence[Element], record_id: int, noun: str) -> Element:
    """Return the element with this ID. Raises NotFound if the company has no such record."""
    for element in elements:
        if element["id"] == record_id:
            return element
    raise NotFound(f"{noun} {record_id} does not exist")
