"""Pay under the Employment Act: one module for each thing that the Act says about it.

The order of computation of a payslip's lines:

1. `working_days`: what the month has, and what was served of it.
2. `incomplete_month`: pay of the days worked, and what unpaid leave takes.
3. `rates`, then `overtime`, `rest_days` and `days_at_rate`: each line exact until its one rounding.
4. `deductions`: the most that may be taken; `deadlines` and `notice`: dates.
"""

from gaji.law.pay.parameters import DeductionKind, PayParameters, read_parameters

__all__ = ["DeductionKind", "PayParameters", "read_parameters"]
