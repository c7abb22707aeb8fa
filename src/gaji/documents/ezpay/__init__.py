"""The monthly CPF EZPay file: an employer's payments to the CPF Board in records of 150 bytes."""
