"""The names of the default leave types that depend on children."""

CHILDCARE = "childcare_leave"
EXTENDED_CHILDCARE = "extended_childcare_leave"
INFANT_CARE = "infant_care_leave"
MATERNITY = "maternity_leave"
PATERNITY = "paternity_leave"
SHARED_PARENTAL = "shared_parental_leave"
ADOPTION = "adoption_leave"

CHILD_LEAVE_TYPES = (
    CHILDCARE,
    EXTENDED_CHILDCARE,
    INFANT_CARE,
    MATERNITY,
    PATERNITY,
    SHARED_PARENTAL,
    ADOPTION,
)
