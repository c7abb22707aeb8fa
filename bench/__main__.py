"""`python -m bench [NAME…]`: measure all bars, or the named ones; exit status 1 when one fails."""

import sys
from collections.abc import Sequence

from bench import (
    bulk_input,
    console,
    employee_import,
    employees,
    law,
    leave,
    one_record,
    payment_runs,
    payslip_pdf,
    recalculation,
    reports,
)
from bench.bars import HEADING, Bar, run

BARS: Sequence[Bar] = (
    one_record.CLIENT,
    one_record.EMPLOYEE,
    employees.BAR,
    law.BAR,
    recalculation.BAR,
    bulk_input.BAR,
    employee_import.BAR,
    employee_import.CONSOLE,
    payment_runs.BAR,
    payment_runs.EACH,
    leave.BAR,
    payslip_pdf.BAR,
    *reports.BARS,
    *console.BARS,
)


def main(names: Sequence[str]) -> int:
    """Measure and print; gives the exit status."""
    known = [bar.name for bar in BARS]
    if unknown := [name for name in names if name not in known]:
        print(f"There is no bar {', '.join(unknown)}. There are: {', '.join(known)}", file=sys.stderr)
        return 2
    print(HEADING, flush=True)
    with reports.shared(), console.shared():
        held = [_holds(bar) for bar in BARS if not names or bar.name in names]
    return 0 if all(held) else 1


def _holds(bar: Bar) -> bool:
    """Measure a bar and print what was found."""
    outcome = run(bar)
    print(*outcome.lines(), sep="\n", flush=True)
    return outcome.holds


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
