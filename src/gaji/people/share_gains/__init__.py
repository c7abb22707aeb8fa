"""Share gains: share options and awards of an employee, for Appendix 8B of form IR8A."""
