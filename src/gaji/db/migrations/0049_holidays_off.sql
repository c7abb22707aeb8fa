-- What a policy gives for a public holiday on a day off.
ALTER TABLE leave_policies ADD COLUMN public_holidays_off text NOT NULL DEFAULT 'none'
    CHECK (public_holidays_off IN ('none', 'day_in_lieu', 'pay'));
