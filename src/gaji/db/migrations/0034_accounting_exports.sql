-- Exports of journals to accounting programs: the accounts of the program, and the settings of its import.

-- The account of the program for a ledger account. An empty item or split means all of them.
CREATE TABLE account_mappings (
    client_id bigint NOT NULL REFERENCES clients,
    account text NOT NULL,
    item text NOT NULL DEFAULT '',
    split_key text NOT NULL DEFAULT '',
    code text,
    name text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (client_id, account, item, split_key),
    CHECK (num_nonnulls(code, name) > 0)
);
CALL protect_client_rows('account_mappings');
CALL audit('account_mappings');
CALL keep_updated_at_monotonic('account_mappings');

-- Without a row, the defaults apply.
CREATE TABLE accounting_export_settings (
    client_id bigint PRIMARY KEY REFERENCES clients,
    xero_tax_rate text NOT NULL,
    xero_tracking_category text,
    quickbooks_date_format text NOT NULL,
    quickbooks_split_column text CHECK (quickbooks_split_column IN ('class', 'location')),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CALL protect_client_rows('accounting_export_settings');
CALL audit('accounting_export_settings');
CALL keep_updated_at_monotonic('accounting_export_settings');
