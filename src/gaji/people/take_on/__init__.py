"""Take-on balances: wages, CPF and leave of the year from before the company switched to Gaji."""
