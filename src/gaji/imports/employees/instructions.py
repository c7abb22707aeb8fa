"""The instructions in workbooks."""

EMPLOYEE_INSTRUCTIONS = (
    "Each row of the sheet Employees is one employee. The second row contains the keys of the columns. You can move or "
    "remove columns, but the keys must not change. Columns without a key are ignored.",
    "A row with an employee ID, or with the number of an employee, updates that employee. Any other row adds one.",
    "Each row of the sheet Children is one child of the employee with that number. A row with a child ID, or with the "
    "name and birthdate of a child of the employee, updates that child. Any other row adds one.",
    "Removing a row changes nothing. Delete employees and children in Gaji.",
    "A cell that you do not change has no effect. Emptying a cell clears the value.",
    "Identifiers that contain * are hidden. If you leave them unchanged, they are kept.",
    "The sheet Constants lists the allowed values. Cells take the values or their names, in any case.",
    "Flags take Yes and No. An empty flag means no, or its default.",
    "The import checks all rows first. If there are errors, it names every cell and saves nothing.",
)
TAKE_ON_INSTRUCTIONS = (
    "Each row is the opening balances of one employee: what another payroll paid in the year, and the leave left.",
    "The second row contains the keys of the columns. You can move or remove columns, but the keys must not change.",
    "Rows are matched by the number of the employee. The name is not imported.",
    "A row without amounts and days, of an employee without opening balances, changes nothing.",
    "The leave left is that at the start of the first pay period in Gaji in the year. Leave granted, accrued or taken "
    "from that day on is added or deducted.",
    "Wages and CPF are used as entered and never recalculated.",
    "An empty cell means zero. For leave it means that nothing is entered, and leave counts from the first day of "
    "service. Removing a row or a column changes nothing.",
    "If you change the year, only the amounts and days in the row are kept.",
    "The import checks all rows first. If there are errors, it names every cell and saves nothing.",
)
