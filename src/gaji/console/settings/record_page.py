"""What the pages of settings have in common: a list of records, and a form for each."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from gaji.company.clients.service import ClientOfCaller
from gaji.console.forms import Form, as_validation_error
from gaji.console.request import PageRequest
from gaji.core.errors import Conflict, NotFound, ValidationError
from gaji.web.responses import HttpResponse

Element = dict[str, Any]
Row = tuple[str, Sequence[str]]
"""Where a line of a list leads to, if anywhere, and its cells."""


@dataclass(frozen=True)
class Section:
    """A part of the settings."""

    name: str
    """In its address."""
    title: str
    about: str
    empty: str
    """What is said when there is nothing yet."""

    def address(self, client_id: int) -> str:
        """Where its list is."""
        return f"/companies/{client_id}/settings/{self.name}".rstrip("/")


@dataclass(frozen=True)
class RecordPage:
    """The form of one record."""

    company: ClientOfCaller
    section: Section
    title: str
    form: Form
    delete: str = ""
    """Where it is deleted, if it can be."""
    template: str = "settings_record.html"
    more: Mapping[str, Any] = field(default_factory=dict)

    def show(self, request: PageRequest, form: Form | None = None, status: int = 200) -> HttpResponse:
        """The page, with this form or with its own."""
        return request.render(
            self.template,
            status=status,
            company=self.company,
            here="Settings",
            section=self.section,
            title=self.title,
            form=form or self.form,
            delete=self.delete,
            **self.more,
        )

    async def save(
        self, request: PageRequest, work: Awaitable[object], notice: str, at: Mapping[str, str] | None = None, to: str = ""
    ) -> HttpResponse:
        """Do it and lead back to the list, or show every fault; `at` says at which field a fault of a path stands.

        `to` is where to go where that is not the list of the section.
        """
        try:
            await work
        except (ValidationError, Conflict) as error:
            return self.refused(request, error, at)
        return request.redirect(to or self.section.address(self.company.id), notice)

    def refused(self, request: PageRequest, error: ValidationError | Conflict, at: Mapping[str, str] | None = None) -> HttpResponse:
        """The page with what was typed and every fault."""
        told = placed(as_validation_error(error), self.form, at or {})
        return self.show(request, self.form.with_values(request.form).with_errors(told), error.status)


def list_page(
    request: PageRequest, company: ClientOfCaller, section: Section, columns: Sequence[str], rows: Sequence[Row], add: str = ""
) -> HttpResponse:
    """The list of a section; `add` is what the button to add one says."""
    return request.render(
        "settings_list.html",
        company=company,
        here="Settings",
        section=section,
        columns=columns,
        rows=rows,
        add=add if company.writes else "",
    )


def decoded(found: tuple[Sequence[str], int]) -> list[Element]:
    """The elements that a service gave, as they are read."""
    return [msgspec.json.decode(one) for one in found[0]]


def picked(elements: Sequence[Element], record_id: int, called: str) -> Element:
    """The one with this id; raises NotFound when the company has no such one."""
    for one in elements:
        if one["id"] == record_id:
            return one
    raise NotFound(f"There is no {called} {record_id}")


def placed(error: ValidationError, form: Form, at: Mapping[str, str]) -> ValidationError:
    """The faults at the fields of a form: by their paths, or by where `at` says that a beginning of a path stands."""
    known = {one.name for one in form.fields}
    found: dict[str, list[str]] = {}
    for path, text in error.errors.items():
        beginnings = (path[: len(path) - cut] for cut in range(len(path)))
        name = path if path in known else next((at[one] for one in beginnings if one in at), path)
        found.setdefault(name, []).append(text)
    return ValidationError({name: "; ".join(dict.fromkeys(texts)) for name, texts in found.items()}, error.message)
