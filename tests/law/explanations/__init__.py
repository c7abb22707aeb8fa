"""The functions that explain each kind of case: `KINDS`, by file and kind."""

from collections.abc import Mapping

from tests.law.explanations import contributions, leave, pay, wage_offsets
from tests.law.explanations.kinds import CaseKind

KINDS: Mapping[tuple[str, str], CaseKind] = {
    **contributions.KINDS,
    **leave.KINDS,
    **pay.KINDS,
    **wage_offsets.KINDS,
}
UNEXPLAINED = {
    ("cpf_months", "age"),
    ("cpf_months", "pr_year"),
    ("holidays", "day"),
    ("holidays", "year"),
    ("leave", "annual_prorata"),
    ("leave", "service"),
    ("levy", "daily"),
    ("pay_dates", "notice"),
    ("pay_dates", "period_due"),
    ("pay_deductions", "in_total"),
    ("pay_deductions", "of_kind"),
    ("pay_lines", "coverage"),
    ("pay_lines", "daily_rate"),
    ("pay_working_days", "week_of_hours"),
    ("pay_working_days", "working_days"),
}
"""The kinds of cases whose figures are explained only as parts of other figures, or nowhere."""
