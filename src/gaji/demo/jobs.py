"""The jobs of the demo company: their pay point, frequency and pay."""

from collections.abc import Mapping
from dataclasses import dataclass, field

OFFICE, WAREHOUSE, OUTLET = range(3)
"""Indexes of the pay points."""


@dataclass(frozen=True)
class JobProfile:
    """A job in the demo company."""

    group: str
    """The Employment Act group."""
    pay_point: int
    """The index of the pay point."""
    share: int
    """The relative number of employees with this job."""
    salary: tuple[int, int]
    """The minimum and maximum, in dollars a month."""
    allowances: Mapping[str, int] = field(default_factory=dict)
    """Dollars a month, by calculation."""
    on_shifts: bool = False


def _shift_job(share: int, min_salary: int, max_salary: int) -> JobProfile:
    return JobProfile("workman", WAREHOUSE, share, (min_salary, max_salary), on_shifts=True)


JOBS: Mapping[str, JobProfile] = {
    "Accountant": JobProfile("non_workman", OFFICE, 6, (3800, 6200)),
    "Financial analyst": JobProfile("manager", OFFICE, 4, (4800, 8600)),
    "Human resource manager": JobProfile("manager", OFFICE, 2, (5600, 9400), {"transport_allowance": 200}),
    "Software engineer": JobProfile("manager", OFFICE, 7, (5400, 10800)),
    "Sales executive": JobProfile(
        "non_workman", OFFICE, 10, (2800, 4400), {"transport_allowance": 150, "entertainment_allowance": 100}
    ),
    "Customer service officer": JobProfile("non_workman", OFFICE, 9, (2400, 3600)),
    "Director": JobProfile("manager", OFFICE, 0, (0, 0)),
    "Logistics manager": JobProfile("manager", WAREHOUSE, 3, (5600, 9000), {"transport_allowance": 250}),
    "Shift supervisor": JobProfile("non_workman", WAREHOUSE, 5, (3300, 4600), {"other_allowance": 120}),
    "Storekeeper": _shift_job(8, 2200, 3000),
    "Machine operator": _shift_job(9, 2100, 3000),
    "Technician": _shift_job(8, 2500, 3800),
    "Delivery driver": JobProfile("workman", WAREHOUSE, 9, (2300, 3300), {"transport_allowance": 80}),
    "Packer": _shift_job(10, 1800, 2400),
    "Retail assistant": JobProfile("non_workman", OUTLET, 12, (1900, 2700), {"meal_allowance": 60}),
    "Kitchen assistant": JobProfile("workman", OUTLET, 6, (1800, 2500), {"meal_allowance": 60}),
    "Cleaner": JobProfile("workman", OUTLET, 4, (1700, 2200)),
    "Security guard": JobProfile("non_workman", OUTLET, 3, (2650, 3300)),
}
