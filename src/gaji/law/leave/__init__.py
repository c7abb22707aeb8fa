"""Statutory leave: what the law gives at least, by length of service and by the facts about a child.

Every function takes columns and gives whole days or weeks. The completed months of service come from
`lengths_of_service`. Leave that the law does not measure (national service, compassionate, unpaid) is not here.
"""

from gaji.law.leave.parameters import LeaveParameters, read_parameters

__all__ = ["LeaveParameters", "read_parameters"]
