"""The CPF EZPay file of a month: what an employer pays to the CPF Board, for whom, in records of 150 bytes."""
