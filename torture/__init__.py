"""Tests of `make torture`: processes are killed at random; thousands of requests and of people are generated."""
