"""The jobs of the demo's company: where each is done, how many do it, and what it pays."""

from collections.abc import Mapping
from dataclasses import dataclass, field

OFFICE, WAREHOUSE, OUTLET = range(3)
"""Places among the pay points."""


@dataclass(frozen=True)
class Job:
    """What one can be in the company."""

    group: str
    pay_point: int
    share: int
    salary: tuple[int, int]
    """The least and the most, in dollars a month."""
    allowances: Mapping[str, int] = field(default_factory=dict)
    """Dollars a month, by calculation."""
    on_shifts: bool = False


def _shifts(share: int, least: int, most: int) -> Job:
    return Job("workman", WAREHOUSE, share, (least, most), on_shifts=True)


JOBS: Mapping[str, Job] = {
    "Accountant": Job("non_workman", OFFICE, 6, (3800, 6200)),
    "Financial analyst": Job("manager", OFFICE, 4, (4800, 8600)),
    "Human resource manager": Job("manager", OFFICE, 2, (5600, 9400), {"transport_allowance": 200}),
    "Software engineer": Job("manager", OFFICE, 7, (5400, 10800)),
    "Sales executive": Job(
        "non_workman", OFFICE, 10, (2800, 4400), {"transport_allowance": 150, "entertainment_allowance": 100}
    ),
    "Customer service officer": Job("non_workman", OFFICE, 9, (2400, 3600)),
    "Director": Job("manager", OFFICE, 0, (0, 0)),
    "Logistics manager": Job("manager", WAREHOUSE, 3, (5600, 9000), {"transport_allowance": 250}),
    "Shift supervisor": Job("non_workman", WAREHOUSE, 5, (3300, 4600), {"other_allowance": 120}),
    "Storekeeper": _shifts(8, 2200, 3000),
    "Machine operator": _shifts(9, 2100, 3000),
    "Technician": _shifts(8, 2500, 3800),
    "Delivery driver": Job("workman", WAREHOUSE, 9, (2300, 3300), {"transport_allowance": 80}),
    "Packer": _shifts(10, 1800, 2400),
    "Retail assistant": Job("non_workman", OUTLET, 12, (1900, 2700), {"meal_allowance": 60}),
    "Kitchen assistant": Job("workman", OUTLET, 6, (1800, 2500), {"meal_allowance": 60}),
    "Cleaner": Job("workman", OUTLET, 4, (1700, 2200)),
    "Security guard": Job("non_workman", OUTLET, 3, (2650, 3300)),
}
