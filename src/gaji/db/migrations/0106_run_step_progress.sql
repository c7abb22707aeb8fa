-- Older servers: stop
-- Nothing reads when the progress of a step was updated. Some databases never had the column.
ALTER TABLE run_step_progress DROP COLUMN IF EXISTS updated_at;
