"""Payment files of a run, in the forms that banks take: the payer's bank takes them and pays the employees."""
