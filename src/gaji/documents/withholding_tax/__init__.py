"""Tax withheld on the fees of directors who are not tax residents: what is due to the tax authority, and when."""
