"""Payment files of a payment run: what is paid, to whom and when, and which files were downloaded.

`documents/giro` has the formats of the banks.
"""
