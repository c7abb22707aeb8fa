"""The database: where it is, who may see which rows of it, and how its shape grows."""
