"""What a payment run is opened with, and what can be changed of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from gaji.company.waves.facts import WaveFacts
from gaji.core.errors import INVALID, Errors
from gaji.core.validation import Attribute, Boolean, DateType, Integer, JsonSchema, Record, Rule, Schema, when
from gaji.engine.periods import NotAPeriodEnd
from gaji.payroll.payslips.rules import Place

MOST_EMPLOYEES = 200_000
MOST_NAMED = 100
"""Of errors of single employees: a huge body must not make a huge answer."""
LAST_DAY = date(2199, 12, 31)
"""Beyond it is no pay period that anyone means, and in the end no calendar."""
SPECIAL = when("special", True)


@dataclass(frozen=True)
class Employees:
    """The ids of employees, each once."""

    def parse(self, value: object, path: str, errors: Errors) -> list[int] | None:
        if not isinstance(value, list) or not 0 < len(value) <= MOST_EMPLOYEES:
            errors.add(path, INVALID, reason=f"must be an array of 1 to {MOST_EMPLOYEES:,} ids of employees")
            return None
        found: list[int] = []
        wrong: Errors = Errors()
        for place, one in enumerate(value):
            number = Integer(minimum=1).parse(one, f"{path}.{place}", wrong)
            if number is not None:
                found.append(number)
        if len(set(found)) < len(found):
            wrong[path] = "must not have the same employee twice"
        errors |= dict(list(wrong.items())[:MOST_NAMED])
        return found

    def json_schema(self) -> JsonSchema:
        identifier = {"type": "integer", "minimum": 1}
        return {"type": "array", "minItems": 1, "maxItems": MOST_EMPLOYEES, "uniqueItems": True, "items": identifier}


def period_of(waves: Mapping[int, WaveFacts]) -> Rule:
    """That the wave is one of the client's, and that one of its periods ends on the date."""

    def check(record: Record, errors: Errors) -> None:
        wave_id, end = record["wave_id"], record["period_end_date"]
        if wave_id is not None and wave_id not in waves:
            errors.add("wave_id", INVALID, reason=f"there is no wave {wave_id} in this client")
        if wave_id not in waves or end is None:
            return
        wave = waves[wave_id]
        first = wave.schedule.end(wave.first_offset)
        if not first <= end <= LAST_DAY:
            errors.add(
                "period_end_date",
                INVALID,
                reason=f"must be from {first}, the end of the first period of this wave, to {LAST_DAY}",
            )
            return
        try:
            wave.schedule.offset(end)
        except NotAPeriodEnd as error:
            errors.add("period_end_date", INVALID, reason=str(error))

    return check


def place_of(record: Record, waves: Mapping[int, WaveFacts]) -> Place:
    """Where the run of a valid record stands."""
    wave_id = record["wave_id"]
    return Place(wave_id, waves[wave_id].schedule.offset(record["period_end_date"]))


PAYMENT_RUN = Schema(
    "payment_run",
    (
        Attribute("wave_id", Integer(minimum=1), "The wave whose employees are paid.", required=True, example=1),
        Attribute("period_end_date", DateType(), "The last day of the period.", required=True, example="2026-01-31"),
        Attribute("special", Boolean(), "Whether it is a run of once-off payslips.", default=False),
        Attribute(
            "employee_ids",
            Employees(),
            "Who gets a once-off payslip.",
            required_if=SPECIAL,
            only_if=SPECIAL,
        ),
    ),
)

READ = (
    "id",
    "wave_id",
    "period_offset",
    "period_end_date",
    "total",
    "created_at",
    "updated_at",
    "special",
    "client_id",
    "state",
    "finalised",
    "released",
    "counts",
    "progress",
)
CHANGE = Schema(
    "payment_run",
    (
        Attribute(
            "posted_to_accounting_system",
            Boolean(),
            "Whether its journal is in the accounting system.",
            default=False,
            example=True,
        ),
    ),
    read_only=READ,
)
