"""Named selections of the parameters and columns of a report. Only the console has them."""
