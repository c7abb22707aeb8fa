"""The employee portal: payslips, leave, tax certificates and details of the signed-in employee."""
