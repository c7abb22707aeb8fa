"""What leaves the system on paper or for an authority: payslips, certificates, files for banks and boards."""
