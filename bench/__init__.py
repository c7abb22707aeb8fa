"""Performance bars of `make bench`. Absolute times vary on a shared machine, so each bar is a ratio from one run."""
