"""Sample payslips for trying out templates: one with every field filled in, and one with as few as possible."""

import base64
from datetime import date

from gaji.documents.payslips.pdf_context import TemplateData

PAY_DATE = date(2026, 1, 31)
LOGO = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAgAAAAIAQAAAADsdIMmAAAAC0lEQVR42mNgQAUAABAAAaoZ+IIAAAAASUVORK5CYII=")
"""A black square, as PNG."""
START, END = "1 January 2026", "31 January 2026"


def _line(caption: str, amount: str, detail: str = "") -> dict[str, str]:
    return {"caption": caption, "detail": detail, "amount": amount}


FULL: TemplateData = {
    "draft": True,
    "special": True,
    "corrects": "1–31 December 2025",
    "employer": {
        "name": "Kopi Trading Pte Ltd",
        "uen": "202699999E",
        "address": ["10 Ubi Crescent", "#08-15 Ubi Techpark", "Singapore 408564"],
    },
    "employee": {
        "name": "Tan Mei Ling 陈美玲",
        "number": "17",
        "identity": "*****567D",
        "job_title": "Barista",
        "pay_point": "Ubi",
        "joined": "1 February 2024",
    },
    "period": {"start": START, "end": END},
    "payment": {"date": END, "method": "GIRO", "account": "DBS Bank / POSB ******2891"},
    "income": [
        {"group": "Basic salary", "lines": [_line("Basic salary", "4,200.00")]},
        {"group": "Allowances", "lines": [_line("Transport allowance", "150.00"), _line("Meal allowance", "20.00")]},
        {"group": "Overtime", "lines": [_line("Overtime", "181.73", f"5.5 hours worked, {START} to {END}")]},
        {"group": "Other payments", "lines": [_line("Reimbursement", "45.20", "Taxi to the airport")]},
    ],
    "total_income": "4,596.93",
    "overtime": {"hours": "5.5", "start": START, "end": END},
    "deduction": [_line("CPF, employee's share", "910.00"), _line("Loan", "100.00", "900.00 still owed")],
    "total_deduction": "1,010.00",
    "nett_pay": "3,586.93",
    "employer_contribution": [_line("CPF, employer's share", "773.00"), _line("Skills development levy", "11.25")],
    "benefit": [_line("Benefit in kind", "300.00")],
    "year_to_date": {
        "year": "2026",
        "income": "4,596.93",
        "deduction": "1,010.00",
        "nett_pay": "3,586.93",
        "cpf_employee": "1,910.00",
        "cpf_employer": "1,623.00",
        "taken_on": True,
        "since": "",
    },
    "remarks": ["Loan: $100.00 of $200.00 could not be deducted and remains owed"],
    "leave": [{"type": "Annual leave", "accrual": "0.58", "taken": "1", "balance": "3.5"}],
    "leave_notes": ["Days that expired or were deducted are subtracted from the added days."],
    "message": "Our office is closed on 31 December.",
    "logo": {"width": 16, "height": 16},
}
MINIMAL: TemplateData = {
    "draft": False,
    "special": False,
    "corrects": "",
    "employer": {"name": "Kopi Trading", "uen": "", "address": []},
    "employee": {"name": "Suharto", "number": "1", "identity": "", "job_title": "", "pay_point": "", "joined": ""},
    "period": {"start": START, "end": END},
    "payment": {"date": END, "method": "Cash", "account": ""},
    "income": [],
    "total_income": "0.00",
    "overtime": None,
    "deduction": [],
    "total_deduction": "0.00",
    "nett_pay": "0.00",
    "employer_contribution": [],
    "benefit": [],
    "year_to_date": {
        "year": "2026",
        "income": "0.00",
        "deduction": "0.00",
        "nett_pay": "0.00",
        "cpf_employee": "0.00",
        "cpf_employer": "0.00",
        "taken_on": False,
        "since": "",
    },
    "remarks": [],
    "leave": [],
    "leave_notes": [],
    "message": "",
    "logo": None,
}
