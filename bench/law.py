"""CPF, self-help funds and SDL of a million people in one call, against the plain implementation person by person."""

import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import TypeVar

import numpy as np

from bench.bars import Bar, Sample, Sides
from gaji.law import cpf, sdl, self_help_funds
from gaji.law import registry
from gaji.law.months import Month
from tests.law import plain
from tests.law.people_at_random import Columns, columns, one

Record = TypeVar("Record")

MONTH = Month(2026, 5)
PEOPLE = 1_000_000
DIFFERENT = 10_000
"""So many different people, over and over: making a million of them would take longer than measuring."""
ONE_BY_ONE = 2_000


@contextmanager
def _sides() -> Iterator[Sides]:
    law = registry.load()
    at = random.Random(1)
    people = [one(at, MONTH) for _ in range(DIFFERENT)]
    million = _repeated(columns(law, MONTH, people), PEOPLE // DIFFERENT)
    yield Sides(ours=lambda: _at_once(law, million), ceiling=lambda: _one_by_one(people[:ONE_BY_ONE]))


def _at_once(law: registry.Law, batch: Columns) -> Sample:
    started = time.perf_counter()
    cpf.assess(law.cpf, MONTH, batch.people, batch.wages, batch.year, batch.taken)
    wages = batch.total_wages_cents
    self_help_funds.contributions_cents(law.self_help_funds, MONTH, batch.givers, wages, batch.choices)
    sdl.levy_cents(law.sdl, MONTH, wages, batch.sdl_exempt)
    elapsed_s = time.perf_counter() - started
    return Sample(PEOPLE / elapsed_s / 1000, {"elapsed_s": elapsed_s})


def _one_by_one(people: Sequence[tuple[plain.Person, plain.Pay]]) -> Sample:
    started = time.perf_counter()
    for person, pay in people:
        wages = pay.ordinary + pay.additional
        plain.cpf(MONTH.year, MONTH.month, person, pay)
        plain.funds(MONTH.year, MONTH.month, person, wages)
        plain.sdl(person, wages)
    return Sample(len(people) / (time.perf_counter() - started) / 1000)


def _repeated(record: Record, times: int) -> Record:
    """A record of columns, or of records of columns, with everyone in it so many times."""
    if isinstance(record, np.ndarray):
        return np.tile(record, times)  # type: ignore[return-value]
    if isinstance(record, dict):
        return {key: _repeated(each, times) for key, each in record.items()}  # type: ignore[return-value]
    inner = {field.name: _repeated(getattr(record, field.name), times) for field in fields(record)}  # type: ignore[arg-type]
    return type(record)(**inner)


BAR = Bar(name="law of a million people", unit="1000/s", sides=_sides, at_least=50)
