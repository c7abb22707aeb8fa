"""Performance bars of `make bench`. Absolute times vary on a shared machine, so each bar is a ratio from one run."""

import gaji.wiring  # noqa: F401 - connects the layers
