"""Calculation definitions: the custom items of a client, and the discovery of all that can be entered."""
