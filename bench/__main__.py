"""`python -m bench [NAME…]`: measure all bars, or the named ones. The exit status is 1 if one fails.

With BENCH_FULL=1 and no names, the costs of up to a million employees follow (bench/scale.py).
"""

import os
import sys
from collections.abc import Sequence

from bench import (
    bulk_input,
    console,
    correction_runs,
    employee_import,
    employees,
    events,
    files,
    law,
    leave,
    payment_runs,
    payslip_pdf,
    recalculation,
    reports,
    scale,
    single_record,
)
from bench.bars import HEADING, PerformanceBar, measure_bar

BARS: Sequence[PerformanceBar] = (
    single_record.CLIENT,
    single_record.EMPLOYEE,
    single_record.EMPLOYEE_NOT_MODIFIED,
    single_record.EMPLOYEE_BY_NUMBER,
    single_record.EMPLOYEE_BY_EMAIL,
    single_record.EMPLOYEE_BY_IDS,
    single_record.EMPLOYEE_BY_NRIC,
    single_record.TWO_PROCESSES,
    single_record.RATE_LIMITED,
    employees.BAR,
    law.BAR,
    recalculation.BAR,
    events.BAR,
    bulk_input.BAR,
    employee_import.BAR,
    employee_import.CONSOLE,
    payment_runs.BAR,
    payment_runs.PER_EMPLOYEE,
    correction_runs.BAR,
    correction_runs.PER_EMPLOYEE,
    leave.BAR,
    payslip_pdf.BAR,
    *reports.BARS,
    *files.BARS,
    *console.BARS,
)


def main(names: Sequence[str]) -> int:
    """Measure and print the bars, and return the exit status."""
    known = [bar.name for bar in BARS]
    if unknown := [name for name in names if name not in known]:
        print(f"Unknown bars: {', '.join(unknown)}. Available: {', '.join(known)}", file=sys.stderr)
        return 2
    print(HEADING, flush=True)
    with reports.shared_company(), files.shared_company(), console.shared_company():
        results = [_measure_and_print(bar) for bar in BARS if not names or bar.name in names]
    if os.environ.get("BENCH_FULL") and not names:
        results.append(scale.print_scale())
    return 0 if all(results) else 1


def _measure_and_print(bar: PerformanceBar) -> bool:
    """Measure a bar, print the result and return whether the bar is met."""
    result = measure_bar(bar)
    print(*result.lines(), sep="\n", flush=True)
    return result.holds


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
