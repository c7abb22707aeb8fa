-- What finalised payslips and runs show of records that can change later. A row exists as long as the payslip or run is
-- finalised. Computed rows, so nothing is audited.

-- Encrypted numbers are copies: they stay sealed for the row of the client or employee that they were copied from.
CREATE TABLE payment_run_snapshots (
    client_id bigint NOT NULL REFERENCES clients,
    payment_run_id bigint NOT NULL,
    -- The employer as documents name it.
    employer text NOT NULL,
    uen text,
    unit_no text NOT NULL,
    complex text NOT NULL,
    st_name text NOT NULL,
    postal_code text NOT NULL,
    -- The account that wages are paid from.
    bank_id integer,
    account_name text,
    company_id text,
    account_number_sealed bytea,
    account_number_masked text,
    -- The custom items; by item the client's category, debit and credit account; and the splits in order.
    catalogue_version text NOT NULL,
    accounts json NOT NULL,
    split_mode text NOT NULL,
    splits json NOT NULL,
    -- The calculations of the client and of its profiles.
    calculations json NOT NULL,
    -- What differs from the previous finalisation; null for the first one.
    differences json,
    PRIMARY KEY (client_id, payment_run_id),
    FOREIGN KEY (client_id, payment_run_id) REFERENCES payment_runs ON DELETE CASCADE,
    FOREIGN KEY (client_id, catalogue_version) REFERENCES calculation_catalogues
);
CALL protect_client_rows('payment_run_snapshots');

CREATE TABLE payslip_snapshots (
    client_id bigint NOT NULL,
    payslip_id bigint NOT NULL,
    employee_id bigint NOT NULL,
    number text NOT NULL,
    first_name text NOT NULL,
    last_name text NOT NULL,
    name_format smallint NOT NULL,
    birthdate date NOT NULL,
    identity_masked text,
    job_title text,
    pay_point text,
    -- The first day of the service that the payslip belongs to.
    joined date,
    payment_method text NOT NULL,
    bank_id integer,
    branch_code text,
    account_number_sealed bytea,
    account_number_masked text,
    -- Whether the payment is withheld for tax clearance.
    withheld boolean NOT NULL,
    -- CPF of the year's take-on balances, in cents; null without balances.
    taken_on_cpf_employee bigint,
    taken_on_cpf_employer bigint,
    -- By split, hundredths of a percent; null if the payslip is in no split.
    shares json,
    -- The profiles of the employee, the calculations of the employee and the payslip, and the regular hours of clients
    -- with the feature; null if there are none.
    profiles json,
    calculations json,
    regular_hours json,
    PRIMARY KEY (client_id, payslip_id),
    FOREIGN KEY (client_id, payslip_id) REFERENCES payslips ON DELETE CASCADE
);
CALL protect_client_rows('payslip_snapshots');

-- The payslips of a run that was unfinalised, as they were finalised before.
CREATE TABLE reopened_payslips (
    client_id bigint NOT NULL REFERENCES clients,
    payment_run_id bigint NOT NULL,
    payslip_id bigint NOT NULL,
    employee_id bigint NOT NULL,
    number text NOT NULL,
    lines json NOT NULL,
    PRIMARY KEY (client_id, payment_run_id, payslip_id),
    FOREIGN KEY (client_id, payment_run_id) REFERENCES payment_runs ON DELETE CASCADE,
    FOREIGN KEY (client_id, payslip_id) REFERENCES payslips ON DELETE CASCADE
);
CREATE INDEX reopened_payslips_payslip ON reopened_payslips (client_id, payslip_id);
CALL protect_client_rows('reopened_payslips');

-- As before, but of a finalised payslip everything that can change later comes from its snapshot. The template and
-- whether there is a password are settings of the client and not part of a payslip.
CREATE OR REPLACE FUNCTION payslip_papers(wanted bigint[])
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
           e.account_number, e.identity, e.joined, e.pay_point,
           f.employer, f.uen, f.unit_no, f.complex, f.st_name, f.postal_code, c.payslip_passwords, t.source,
           y.income, y.deduction, y.nett_pay,
           y.cpf_employee + coalesce(e.cpf_employee, 0), y.cpf_employer + coalesce(e.cpf_employer, 0),
           e.cpf_employee IS NOT NULL
    FROM payslips p
    JOIN clients c ON c.id = p.client_id
    LEFT JOIN payslip_templates t ON t.client_id = p.client_id
    LEFT JOIN payslip_snapshots s ON s.client_id = p.client_id AND s.payslip_id = p.id
    LEFT JOIN payment_run_snapshots r ON r.client_id = p.client_id AND r.payment_run_id = p.payment_run_id
    CROSS JOIN LATERAL (
        SELECT s.number, s.first_name, s.last_name, s.name_format, s.job_title, s.birthdate, s.payment_method,
               s.bank_id, s.account_number_masked AS account_number, s.identity_masked AS identity, s.joined,
               s.pay_point, s.taken_on_cpf_employee AS cpf_employee, s.taken_on_cpf_employer AS cpf_employer
        WHERE s.payslip_id IS NOT NULL
        UNION ALL
        SELECT e.number, e.first_name, e.last_name, e.name_format, e.job_title, e.birthdate, e.payment_method,
               e.bank_id, e.account_number_masked,
               coalesce(e.nric_masked, e.fin_masked, e.malaysian_ic_masked, e.passport_number_masked),
               (SELECT max(d.start_date) FROM service_periods d
                WHERE d.client_id = p.client_id AND d.employee_id = p.employee_id AND d.start_date <= p.date),
               o.name, b.cpf_employee, b.cpf_employer
        FROM employees e
        LEFT JOIN pay_points o ON o.client_id = e.client_id AND o.id = e.pay_point_id
        LEFT JOIN take_on_balances b ON b.client_id = e.client_id AND b.employee_id = e.id
              AND b.year = extract(year FROM p.date)
        WHERE s.payslip_id IS NULL AND e.client_id = p.client_id AND e.id = p.employee_id) e
    CROSS JOIN LATERAL (
        SELECT r.employer, r.uen, r.unit_no, r.complex, r.st_name, r.postal_code WHERE r.payment_run_id IS NOT NULL
        UNION ALL
        SELECT c.name, c.uen, c.unit_no, c.complex, c.st_name, c.postal_code WHERE r.payment_run_id IS NULL) f
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

-- Payslips that are finalised already get what is known today.
SELECT begin_maintenance();

INSERT INTO payment_run_snapshots (
    client_id, payment_run_id, employer, uen, unit_no, complex, st_name, postal_code, bank_id, account_name, company_id,
    account_number_sealed, account_number_masked, catalogue_version, accounts, split_mode, splits, calculations)
SELECT r.client_id, r.id, c.name, c.uen, c.unit_no, c.complex, c.st_name, c.postal_code, c.bank_id, c.account_name,
       c.company_id, c.account_number_sealed, c.account_number_masked, v.version,
       coalesce((SELECT json_object_agg(a.item, json_build_array(a.category, a.debit_account, a.credit_account))
                 FROM ledger_accounts a WHERE a.client_id = r.client_id), '{}'),
       coalesce(m.mode, 'none'),
       coalesce(CASE m.mode
                WHEN 'pay_point' THEN (SELECT json_agg(json_build_array(o.id::text, o.name) ORDER BY o.id)
                                       FROM pay_points o WHERE o.client_id = r.client_id)
                WHEN 'employee' THEN (SELECT json_agg(json_build_array(s.id::text, s.name) ORDER BY s.id)
                                      FROM accounting_splits s WHERE s.client_id = r.client_id)
                END, '[]'),
       coalesce((SELECT json_agg(json_build_array(
                     k.id, k.profile_id, k.employee_id, k.payslip_id, k.type, k.inputs, k.skip, k.deleted,
                     trim_scale(k.multiplier)::text, k.created_at, k.updated_at) ORDER BY k.id)
                 FROM calculations k WHERE k.client_id = r.client_id AND k.employee_id IS NULL), '[]')
FROM payment_runs r
JOIN clients c ON c.id = r.client_id
LEFT JOIN accounting_modes m ON m.client_id = r.client_id
-- The custom items that the payslips were calculated with; of several versions, the one that knows most items.
CROSS JOIN LATERAL (
    SELECT v.version FROM calculation_catalogues v
    WHERE v.client_id = r.client_id
    ORDER BY EXISTS (SELECT FROM payslips p WHERE p.client_id = r.client_id AND p.payment_run_id = r.id
                     AND p.catalogue_version = v.version) DESC,
             json_array_length(v.definitions) DESC, v.created_at DESC, v.version LIMIT 1) v
WHERE r.finalised;

INSERT INTO payslip_snapshots (
    client_id, payslip_id, employee_id, number, first_name, last_name, name_format, birthdate, identity_masked,
    job_title, pay_point, joined, payment_method, bank_id, branch_code, account_number_sealed, account_number_masked,
    withheld, taken_on_cpf_employee, taken_on_cpf_employer, shares, profiles, calculations, regular_hours)
SELECT p.client_id, p.id, p.employee_id, e.number, e.first_name, e.last_name, e.name_format, e.birthdate,
       coalesce(e.nric_masked, e.fin_masked, e.malaysian_ic_masked, e.passport_number_masked),
       e.job_title, o.name,
       (SELECT max(d.start_date) FROM service_periods d
        WHERE d.client_id = p.client_id AND d.employee_id = p.employee_id AND d.start_date <= p.date),
       e.payment_method, e.bank_id, e.branch_code, e.account_number_sealed, e.account_number_masked,
       coalesce((SELECT d.ir21 AND d.end_date <= r.period_end_date FROM service_periods d
                 WHERE d.client_id = p.client_id AND d.employee_id = p.employee_id
                   AND d.start_date <= r.period_end_date ORDER BY d.start_date DESC LIMIT 1), false),
       b.cpf_employee, b.cpf_employer,
       CASE n.split_mode
       WHEN 'pay_point' THEN CASE WHEN e.pay_point_id IS NOT NULL THEN json_build_object(e.pay_point_id, 10000) END
       WHEN 'employee' THEN (SELECT json_object_agg(s.split_id, s.share) FROM employee_accounting_splits s
                             WHERE s.client_id = p.client_id AND s.employee_id = p.employee_id)
       END,
       (SELECT json_agg(json_build_array(g.profile_id, g.calculations) ORDER BY g.id) FROM profile_mappings g
        WHERE g.client_id = p.client_id AND g.employee_id = p.employee_id),
       (SELECT json_agg(json_build_array(
            k.id, k.profile_id, k.employee_id, k.payslip_id, k.type, k.inputs, k.skip, k.deleted,
            trim_scale(k.multiplier)::text, k.created_at, k.updated_at) ORDER BY k.id)
        FROM calculations k WHERE k.client_id = p.client_id AND k.employee_id = p.employee_id
          AND (k.payslip_id IS NULL OR k.payslip_id = p.id)),
       (SELECT json_build_array(h.id, h.inputs_history, h.created_at, h.updated_at) FROM inherited_calculations h
        JOIN clients c ON c.id = h.client_id AND c.regular_hours_v2
        WHERE h.client_id = p.client_id AND h.employee_id = p.employee_id AND h.short_name = 'week_hours')
FROM payslips p
JOIN payment_runs r ON r.client_id = p.client_id AND r.id = p.payment_run_id
JOIN payment_run_snapshots n ON n.client_id = r.client_id AND n.payment_run_id = r.id
JOIN employees e ON e.client_id = p.client_id AND e.id = p.employee_id
LEFT JOIN pay_points o ON o.client_id = e.client_id AND o.id = e.pay_point_id
LEFT JOIN take_on_balances b ON b.client_id = e.client_id AND b.employee_id = e.id
      AND b.year = extract(year FROM p.date)
WHERE p.finalised;
