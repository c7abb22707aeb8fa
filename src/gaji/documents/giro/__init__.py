"""Bank file formats: how the payments of a batch are encoded for the payer's bank. Pure.

`documents/payment_files` decides what is paid, and hands out the files.
"""
