-- The totals of a payslip that the register of a pay run sorts and adds up, in cents: income, deductions that reduce wages
-- (unpaid leave and national service leave), and employer contributions.
ALTER TABLE payslips
    ADD COLUMN gross bigint NOT NULL DEFAULT 0,
    ADD COLUMN wage_deductions bigint NOT NULL DEFAULT 0,
    ADD COLUMN employer_contributions bigint NOT NULL DEFAULT 0;

SELECT begin_maintenance(), set_config('gaji.audit', 'off', true);
UPDATE payslips p SET gross = t.gross, wage_deductions = t.wage_deductions,
    employer_contributions = t.employer_contributions
FROM (
    SELECT s.client_id, s.id,
        (SELECT coalesce(sum((line ->> 1)::numeric) FILTER (WHERE line ->> 0 = 'total'), 0) * 100
         FROM json_array_elements(s.lines -> 'income') line) AS gross,
        (SELECT coalesce(sum((line ->> 1)::numeric)
                         FILTER (WHERE line ->> 0 IN ('unpaid_leave', 'national_service_leave')), 0) * 100
         FROM json_array_elements(s.lines -> 'deduction') line) AS wage_deductions,
        (SELECT coalesce(sum((line ->> 1)::numeric), 0) * 100
         FROM json_array_elements(s.lines -> 'sideline') section, json_array_elements(section -> 1) line
         WHERE section ->> 0 = 'employer_contribution' AND line ->> 0 <> 'total') AS employer_contributions
    FROM payslips s
    WHERE s.lines ->> 'income' IS NOT NULL
) t
WHERE p.client_id = t.client_id AND p.id = t.id
    AND (t.gross, t.wage_deductions, t.employer_contributions) IS DISTINCT FROM (0, 0, 0);
SELECT set_config('gaji.audit', '', true), set_config('gaji.maintenance', '', true);
