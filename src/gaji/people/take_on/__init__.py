"""Take-on balances: what an employee had this year before the company moved in."""
