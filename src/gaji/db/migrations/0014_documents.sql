-- Payslips on paper: what is printed on them, the templates that clients put in place of ours, and all payslips of a run
-- in one file.

-- Whether the payslips of a client open with a password only.
ALTER TABLE clients ADD COLUMN payslip_passwords boolean NOT NULL DEFAULT false;

CREATE TABLE payslip_templates (
    client_id bigint PRIMARY KEY REFERENCES clients,
    source text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CALL protect_client_rows('payslip_templates');
CALL audit('payslip_templates');

-- All that is printed on payslips that the caller may see. As the owner, because an employee's own payslip says more than
-- an employee may read otherwise: the employer's address, the template, and what all payslips of the year came to.
CREATE FUNCTION payslip_papers(wanted bigint[])
RETURNS TABLE (id bigint, client_id bigint, employee_id bigint, start_date date, date date, pay_date date,
               special boolean, finalised boolean, dirty boolean, lines text, inputs text, rules_version text,
               catalogue_version text, number text, first_name text, last_name text, name_format smallint,
               job_title text, birthdate date, payment_method text, bank_id integer, account_number text, identity text,
               joined date, pay_point text, employer text, uen text, unit_no text, complex text, st_name text,
               postal_code text, with_password boolean, template text, income bigint, deduction bigint, nett_pay bigint,
               cpf_employee bigint, cpf_employer bigint, taken_on boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT p.id, p.client_id, p.employee_id, p.start_date, p.date, p.pay_date, p.special, p.finalised, p.dirty,
           p.lines::text, p.inputs::text, p.rules_version, p.catalogue_version,
           e.number, e.first_name, e.last_name, e.name_format, e.job_title, e.birthdate, e.payment_method, e.bank_id,
           e.account_number_masked,
           coalesce(e.nric_masked, e.fin_masked, e.malaysian_ic_masked, e.passport_number_masked),
           (SELECT max(s.start_date) FROM service_periods s
            WHERE s.client_id = p.client_id AND s.employee_id = p.employee_id AND s.start_date <= p.date),
           o.name, c.name, c.uen, c.unit_no, c.complex, c.st_name, c.postal_code, c.payslip_passwords, t.source,
           y.income, y.deduction, y.nett_pay,
           y.cpf_employee + coalesce(b.cpf_employee, 0), y.cpf_employer + coalesce(b.cpf_employer, 0),
           b.client_id IS NOT NULL
    FROM payslips p
    JOIN employees e ON e.client_id = p.client_id AND e.id = p.employee_id
    JOIN clients c ON c.id = p.client_id
    LEFT JOIN pay_points o ON o.client_id = e.client_id AND o.id = e.pay_point_id
    LEFT JOIN payslip_templates t ON t.client_id = p.client_id
    LEFT JOIN take_on_balances b ON b.client_id = p.client_id AND b.employee_id = p.employee_id
          AND b.year = extract(year FROM p.date)
    -- The payslips of the year that came before, in the order in which they were finalised where they have one date.
    CROSS JOIN LATERAL (
        SELECT coalesce(sum((q.lines -> 'income' -> -1 ->> 1)::numeric) * 100, 0)::bigint AS income,
               coalesce(sum((q.lines -> 'deduction' -> -1 ->> 1)::numeric) * 100, 0)::bigint AS deduction,
               coalesce(sum(q.nett_pay), 0)::bigint AS nett_pay,
               coalesce(sum(q.cpf_employee), 0)::bigint AS cpf_employee,
               coalesce(sum(q.cpf_employer), 0)::bigint AS cpf_employer
        FROM payslips q
        WHERE q.client_id = p.client_id AND q.employee_id = p.employee_id AND q.finalised AND q.id <> p.id
          AND q.date >= date_trunc('year', p.date)::date AND q.date <= p.date
          AND (q.date < p.date OR NOT p.finalised OR (q.finalised_at, q.id) < (p.finalised_at, p.id))) y
    WHERE p.id = ANY (wanted) AND NOT p.withdrawn
      AND (p.client_id = ANY (allowed_clients()) OR p.ss_released AND p.employee_id = ANY (own_employees()))
    ORDER BY p.id;
END $$;
REVOKE ALL ON FUNCTION payslip_papers(bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION payslip_papers(bigint[]) TO gaji_app;
