-- When payslips are paid, for everyone who can see them: employees cannot read payment runs. A payment that is withheld
-- for tax clearance is not paid with its run.
CREATE FUNCTION payslip_payments(wanted bigint[])
RETURNS TABLE (payslip_id bigint, payment_date date, paid boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT p.id, coalesce(r.payment_date, p.pay_date), r.paid_at IS NOT NULL
    FROM payslips p
    LEFT JOIN payslip_snapshots s ON s.client_id = p.client_id AND s.payslip_id = p.id
    LEFT JOIN payment_runs r ON r.client_id = p.client_id AND r.id = p.payment_run_id
          AND coalesce(s.withheld, false) IS FALSE
    WHERE p.id = ANY (wanted) AND NOT p.withdrawn
      AND (p.client_id = ANY (allowed_clients()) OR p.ss_released AND p.employee_id = ANY (own_employees()));
END $$;
REVOKE ALL ON FUNCTION payslip_payments(bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION payslip_payments(bigint[]) TO gaji_app;
