"""CPF, self-help funds and SDL of a million people in one call, compared with a reference implementation."""

import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
import numpy as np

from bench.bars import PerformanceBar, Sample, Sides
from gaji.law import cpf, registry, sdl, self_help_funds
from gaji.law.months import Month
from tests.law import reference_contributions
from tests.law.random_people import BatchColumns, batch_columns, random_person

MONTH = Month(2026, 5)
PEOPLE = 1_000_000
DISTINCT_PEOPLE = 10_000
"""Distinct people, repeated to a million: generating a million would take longer than the measurement."""
REFERENCE_PEOPLE = 2_000


@contextmanager
def _sides() -> Iterator[Sides]:
    law = registry.load()
    generator = random.Random(1)
    people = [random_person(generator, MONTH) for _ in range(DISTINCT_PEOPLE)]
    million = _repeat(batch_columns(law, MONTH, people), PEOPLE // DISTINCT_PEOPLE)
    yield Sides(
        ours=lambda: _measure_batch(law, million), baseline=lambda: _measure_reference(people[:REFERENCE_PEOPLE])
    )


def _measure_batch(law: registry.Law, batch: BatchColumns) -> Sample:
    started = time.perf_counter()
    cpf.assess(law.cpf, MONTH, batch.cpf_members, batch.wages, batch.prior, batch.earlier)
    wages = batch.total_wages_cents
    self_help_funds.contributions_cents(law.self_help_funds, MONTH, batch.fund_members, wages, batch.elections)
    sdl.levy_cents(law.sdl, MONTH, wages, batch.sdl_exempt)
    elapsed_s = time.perf_counter() - started
    return Sample(PEOPLE / elapsed_s / 1000, {"elapsed_s": elapsed_s})


def _measure_reference(
    people: Sequence[tuple[reference_contributions.ReferencePerson, reference_contributions.ReferenceWages]],
) -> Sample:
    started = time.perf_counter()
    for person, pay in people:
        wages = pay.ordinary + pay.additional
        reference_contributions.cpf(MONTH.year, MONTH.month, person, pay)
        reference_contributions.funds(MONTH.year, MONTH.month, person, wages)
        reference_contributions.sdl(person, wages)
    return Sample(len(people) / (time.perf_counter() - started) / 1000)


def _repeat(columns: Any, times: int) -> Any:
    """Return columns, which may be nested in structs, with every person repeated."""
    if columns is None:
        return columns
    if isinstance(columns, np.ndarray):
        return np.concatenate([columns] * times)
    if isinstance(columns, dict):
        return {key: _repeat(value, times) for key, value in columns.items()}
    if isinstance(columns, msgspec.Struct):
        return type(columns)(**{name: _repeat(getattr(columns, name), times) for name in columns.__struct_fields__})
    raise TypeError(f"{type(columns).__name__} has no columns")


BAR = PerformanceBar(name="law of a million people", unit="1000/s", sides=_sides, min_ratio=50)
