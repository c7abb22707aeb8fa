"""Query parameters about closed periods."""

from gaji.web.query_parameters import Flag, QueryParameter

LATE = QueryParameter(
    "late",
    Flag(),
    "Record a fact about a finalised period. Finalised payslips are not changed; the difference is among the "
    "employee's retro proposals. Default: false, and such a request is rejected with 409.",
)
