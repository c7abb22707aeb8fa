-- The workbook of a failed import is kept as long as its outcome, so that it can be downloaded with its errors marked.

ALTER TABLE employee_imports
    DROP CONSTRAINT employee_imports_check1,
    ADD CONSTRAINT employee_imports_content CHECK (
        CASE state WHEN 'queued' THEN content_sealed IS NOT NULL WHEN 'complete' THEN content_sealed IS NULL ELSE true END
    );
