"""Payments that are made again, because the bank returned them."""
