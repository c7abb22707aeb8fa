"""Pay under the Employment Act, one module per topic of the Act.

Order of computation of the lines of a payslip:

1. `working_days`: the working days of the month, and those in service.
2. `incomplete_month`: pay for the days worked, and the deduction for unpaid leave.
3. `rates`, then `overtime`, `rest_days` and `public_holiday_work`: each line is exact and rounded once.
4. `deductions`: the limits of deductions.

`part_four_coverage` tells who has a right to overtime and rest day pay. `deadlines` and `notice` are about dates.
"""

from gaji.law.pay.parameters import DeductionKind, PayParameters, read_parameters

__all__ = ["DeductionKind", "PayParameters", "read_parameters"]
