"""The glossary: every entry is in use, and people read no API names."""

import re
import string
from collections.abc import Sequence
from typing import Any

import pytest

import gaji.app  # noqa: F401 - declares all error codes
from gaji.company.clients.schemas import CLIENT
from gaji.company.custom_fields.schemas import CUSTOM_FIELD
from gaji.company.pay_points.schemas import PAY_POINT
from gaji.company.waves.schemas import WAVE
from gaji.console import glossary
from gaji.console.error_messages import error_text
from gaji.console.forms import build_form
from gaji.core.error_codes import NOT_APPLICABLE, REQUIRED_WHEN
from gaji.core.errors import ERROR_CODES, FieldError
from gaji.core.validation import Attribute, Group
from gaji.identity.schemas import API_KEY, NEW_MEMBER
from gaji.integrations.webhooks.schemas import WEBHOOK_ENDPOINT
from gaji.leave.types.policy_schemas import POLICY
from gaji.leave.types.schemas import LEAVE_TYPE
from gaji.payroll.account_mappings.schemas import EXPORT_SETTINGS
from gaji.payroll.accounting.schemas import SPLITS
from gaji.payroll.calculation_definitions.schemas import CALCULATION_DEFINITION
from gaji.payroll.profiles.schemas import PROFILE
from gaji.payroll.withheld_payments.schemas import RELEASE
from gaji.people.benefits_in_kind.schemas import BENEFIT_IN_KIND
from gaji.people.children.schemas import CHILD
from gaji.people.employees.schemas import EMPLOYEE
from gaji.people.service_periods.schemas import END_SERVICE, REINSTATE
from gaji.people.share_gains.schemas import SHARE_GAIN
from gaji.people.take_on.schemas import TAKE_ON

FORMS: dict[str, Sequence[Attribute]] = {
    "accounting_export": EXPORT_SETTINGS.attributes,
    "api_key": API_KEY.attributes,
    "child": CHILD.attributes,
    "benefit_in_kind": BENEFIT_IN_KIND.attributes,
    "company": CLIENT.attributes,
    "custom_field": CUSTOM_FIELD.attributes,
    "custom_item": CALCULATION_DEFINITION.attributes,
    "employee": EMPLOYEE.attributes,
    "end_service": END_SERVICE.attributes,
    "reinstate": REINSTATE.attributes,
    "leave_policy": POLICY.attributes,
    "leave_type": LEAVE_TYPE.attributes,
    "opening_balances": TAKE_ON.attributes,
    "pay_point": PAY_POINT.attributes,
    "pay_schedule": WAVE.attributes,
    "profile": PROFILE.attributes,
    "release_payment": RELEASE.attributes,
    "share_gain": SHARE_GAIN.attributes,
    "splits": SPLITS.attributes,
    "user": NEW_MEMBER.attributes,
    "webhook": WEBHOOK_ENDPOINT.attributes,
}
API_WORDS = re.compile(r"`|\bwaves?\b|\bclients?\b|\bcalculations?\b|\b[a-z]+_[a-z_]+\b|\d{4}-\d\d", re.IGNORECASE)
OPTIONAL_PARAMS = {"available_from", "service_months", "requires"}
"""Parameters that an error does not always have. Keys of texts for errors with them are `code.parameter`."""
FORMULA_HINTS = {"formula"}
"""Hints that name items on purpose."""


def paths(attributes: Sequence[Attribute], prefix: str = "") -> list[str]:
    """Return the dotted paths of attributes."""
    return [
        path
        for attribute in attributes
        for path in (
            paths(attribute.type.attributes, f"{prefix}{attribute.name}.")
            if isinstance(attribute.type, Group)
            else [prefix + attribute.name]
        )
    ]


def placeholders(template: str) -> set[str]:
    """Return the names in braces."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("form", FORMS)
def test_every_entry_of_a_form_is_an_attribute(form: str) -> None:
    assert glossary.FORMS[form].keys() <= set(paths(FORMS[form]))


@pytest.mark.parametrize("form", FORMS)
def test_labels_and_hints_have_no_api_words(form: str) -> None:
    for field in build_form(form, FORMS[form], {}).fields:
        assert not API_WORDS.search(field.label), field.label
        assert field.name in FORMULA_HINTS or not API_WORDS.search(field.hint), field.hint


@pytest.mark.parametrize("texts", [glossary.ERRORS, glossary.PORTAL_ERRORS], ids=["console", "portal"])
def test_every_error_message_belongs_to_a_code_and_uses_its_parameters(texts: dict[str, str]) -> None:
    for key, text in texts.items():
        code, _, optional = key.partition(".")
        allowed = placeholders(ERROR_CODES[code].template) | (OPTIONAL_PARAMS if optional else set())
        assert placeholders(text) <= allowed, key


def test_every_sentence_about_a_file_belongs_to_a_code() -> None:
    assert glossary.FILE_ERRORS.keys() <= ERROR_CODES.keys()
    assert not any(API_WORDS.search(text) or placeholders(text) for text in glossary.FILE_ERRORS.values())


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            FieldError("bank_account", REQUIRED_WHEN, {"attribute": "payment_method", "value": "eft_manual"}),
            "is required when Payment method is “GIRO”",
        ),
        (
            FieldError("pr_date", NOT_APPLICABLE, {"attribute": "legal_status", "value": "CITIZEN or PR"}),
            "applies only if Legal status is “CITIZEN or PR”",
        ),
    ],
)
def test_conditions_name_the_label_and_the_option(error: FieldError, text: str) -> None:
    form = build_form("employee", EMPLOYEE.attributes, {})
    fields: dict[str, Any] = {field.name: field for field in form.fields}
    assert error_text(error, fields) == text
