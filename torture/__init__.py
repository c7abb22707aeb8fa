"""Fault tests of `make torture`: processes are killed at random, and thousands of generated requests are sent."""
