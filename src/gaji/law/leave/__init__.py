"""Statutory leave: the legal minimum by length of service and by the details of a child.

All functions take columns and return whole days or weeks. Completed months of service come from `length_of_service`.
Leave without a statutory entitlement (national service, compassionate, unpaid) is not covered.
"""

from gaji.law.leave.parameters import LeaveParameters, read_parameters

__all__ = ["LeaveParameters", "read_parameters"]
