CREATE OR REPLACE VIEW bi_pii.users AS
SELECT
  u.shop_id,
  s.shop_key AS shop,
  u.user_oid,
  'u:' || u.user_oid AS customer_key,
  ops.shown_text(p.login) AS login,
  ops.shown_text(p.name) AS name,
  ops.shown_text(p.email) AS email,
  ops.shown_text(p.phone) AS phone,
  ops.shown_text(p.org_name) AS org_name,
  ops.shown_text(p.gender) AS gender,
  ops.shown_text(p.address) AS address,
  u.level,
  u.group_oid,
  ops.shown_text(g.name) AS user_group,
  u.created_at,
  u.fetch_state,
  u.fetched_at
FROM core.users u
JOIN core.shops s ON s.shop_id = u.shop_id
LEFT JOIN core.user_persons p ON p.shop_id = u.shop_id AND p.user_oid = u.user_oid
LEFT JOIN core.user_groups g ON g.shop_id = u.shop_id AND g.group_oid = u.group_oid
-- All guests share one account, which is not a person; an erased account holds nothing of one.
WHERE u.fetch_state NOT IN ('guest', 'erased');

COMMENT ON VIEW bi_pii.users IS 'One row per registered user who ordered something. Personal data: use it to contact people, not in reports.';
COMMENT ON COLUMN bi_pii.users.user_oid IS 'The shop''s number of the user; buyer_oid in the order views.';
COMMENT ON COLUMN bi_pii.users.customer_key IS 'Pseudonym of the user: joins with the views of bi.';
COMMENT ON COLUMN bi_pii.users.login IS 'Login name. NULL: not sent.';
COMMENT ON COLUMN bi_pii.users.name IS 'Name of the user. NULL: not sent.';
COMMENT ON COLUMN bi_pii.users.email IS 'E-mail address. NULL: not sent.';
COMMENT ON COLUMN bi_pii.users.phone IS 'Phone number. NULL: not sent.';
COMMENT ON COLUMN bi_pii.users.org_name IS 'Organization that the user entered. NULL: none.';
COMMENT ON COLUMN bi_pii.users.gender IS 'Gender, as the shop words it. NULL: not sent.';
COMMENT ON COLUMN bi_pii.users.address IS 'Address of the user. NULL: not sent.';
COMMENT ON COLUMN bi_pii.users.level IS 'Level of the user in the shop, which defines its meaning. NULL: not sent.';
COMMENT ON COLUMN bi_pii.users.group_oid IS 'The shop''s number of the user''s group. NULL: none, or the user was not fetched yet.';
COMMENT ON COLUMN bi_pii.users.user_group IS 'Name of that group. NULL: none known.';
COMMENT ON COLUMN bi_pii.users.created_at IS 'When the account was created. NULL: not sent.';
COMMENT ON COLUMN bi_pii.users.fetch_state IS 'Whether the user could be read: ok; pending: not requested yet; failed: will be retried; not_found: the shop no longer knows the user.';
COMMENT ON COLUMN bi_pii.users.fetched_at IS 'When the user was last requested. NULL: not yet.';
