"""Fault tests of `make torture`: processes are killed at random, and acknowledged data is compared with stored data."""
