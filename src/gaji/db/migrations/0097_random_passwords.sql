-- Older servers: continue
-- Users who were created by their first single sign-on had a random password before 0093. Nobody knows it. They have none
-- now, like those who were created since. They are recognised by their identity, which was created in the same transaction.
-- Whoever was changed later may have set a password, or be about to set one, and is left as they are.

SELECT begin_maintenance(), set_config('gaji.audit', 'off', true);

UPDATE users u SET password_hash = ''
FROM single_sign_on_identities i
WHERE i.user_id = u.id AND i.created_at = u.created_at AND u.updated_at = u.created_at AND u.password_hash <> ''
  AND NOT EXISTS (SELECT FROM password_resets r WHERE r.user_id = u.id)
  AND NOT EXISTS (SELECT FROM email_changes c WHERE c.user_id = u.id)
  AND NOT EXISTS (SELECT FROM second_factors f WHERE f.id = u.id)
  AND NOT EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id)
  AND NOT EXISTS (SELECT FROM user_links l WHERE l.home_user_id = u.id);
