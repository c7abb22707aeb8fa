"""Documents and files for employees, banks and authorities."""
