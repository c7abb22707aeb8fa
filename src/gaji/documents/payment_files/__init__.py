"""Payment files: how a finalised payment run reaches the employees, through a bank or by hand."""
