"""All payslips of a payment run as PDFs in one ZIP file, made by a job."""
