"""The speed bars of `make bench`. Times mean little on a shared machine, so each bar is a ratio taken in one run."""

import gaji.wiring  # noqa: F401 - connects the layers
