-- Joined level by level: a recursive query over all shops is refused by a Citus, and would not end in a circle.
CREATE OR REPLACE VIEW bi.user_groups AS
SELECT
  g.shop_id,
  s.shop_key AS shop,
  g.group_oid,
  ops.shown_text(g.name) AS user_group,
  g1.group_oid AS parent_oid,
  1 + (g1.group_oid IS NOT NULL)::int + (g2.group_oid IS NOT NULL)::int + (g3.group_oid IS NOT NULL)::int + (g4.group_oid IS NOT NULL)::int + (g5.group_oid IS NOT NULL)::int + (g6.group_oid IS NOT NULL)::int + (g7.group_oid IS NOT NULL)::int + (g8.group_oid IS NOT NULL)::int AS depth,
  ops.shown_text(concat_ws(' / ', coalesce(g8.name, g8.group_oid::text), coalesce(g7.name, g7.group_oid::text), coalesce(g6.name, g6.group_oid::text), coalesce(g5.name, g5.group_oid::text), coalesce(g4.name, g4.group_oid::text), coalesce(g3.name, g3.group_oid::text), coalesce(g2.name, g2.group_oid::text), coalesce(g1.name, g1.group_oid::text), coalesce(g.name, g.group_oid::text))) AS path,
  '/' || concat_ws('/', g8.group_oid, g7.group_oid, g6.group_oid, g5.group_oid, g4.group_oid, g3.group_oid, g2.group_oid, g1.group_oid, g.group_oid) || '/' AS path_oids,
  g.deleted_at IS NOT NULL AS is_deleted
FROM core.user_groups g
JOIN core.shops s ON s.shop_id = g.shop_id
LEFT JOIN core.user_groups g1 ON g1.shop_id = g.shop_id AND g1.group_oid = g.parent_oid
  AND g1.group_oid NOT IN (g.group_oid)
LEFT JOIN core.user_groups g2 ON g2.shop_id = g.shop_id AND g2.group_oid = g1.parent_oid
  AND g2.group_oid NOT IN (g.group_oid, g1.group_oid)
LEFT JOIN core.user_groups g3 ON g3.shop_id = g.shop_id AND g3.group_oid = g2.parent_oid
  AND g3.group_oid NOT IN (g.group_oid, g1.group_oid, g2.group_oid)
LEFT JOIN core.user_groups g4 ON g4.shop_id = g.shop_id AND g4.group_oid = g3.parent_oid
  AND g4.group_oid NOT IN (g.group_oid, g1.group_oid, g2.group_oid, g3.group_oid)
LEFT JOIN core.user_groups g5 ON g5.shop_id = g.shop_id AND g5.group_oid = g4.parent_oid
  AND g5.group_oid NOT IN (g.group_oid, g1.group_oid, g2.group_oid, g3.group_oid, g4.group_oid)
LEFT JOIN core.user_groups g6 ON g6.shop_id = g.shop_id AND g6.group_oid = g5.parent_oid
  AND g6.group_oid NOT IN (g.group_oid, g1.group_oid, g2.group_oid, g3.group_oid, g4.group_oid, g5.group_oid)
LEFT JOIN core.user_groups g7 ON g7.shop_id = g.shop_id AND g7.group_oid = g6.parent_oid
  AND g7.group_oid NOT IN (g.group_oid, g1.group_oid, g2.group_oid, g3.group_oid, g4.group_oid, g5.group_oid, g6.group_oid)
LEFT JOIN core.user_groups g8 ON g8.shop_id = g.shop_id AND g8.group_oid = g7.parent_oid
  AND g8.group_oid NOT IN (g.group_oid, g1.group_oid, g2.group_oid, g3.group_oid, g4.group_oid, g5.group_oid, g6.group_oid, g7.group_oid);

COMMENT ON VIEW bi.user_groups IS 'One row per shop and group of buyers, with its place in the tree of groups. A group with all groups below it: path_oids LIKE ''%/90/%'', or path LIKE ''Wholesale%''.';
COMMENT ON COLUMN bi.user_groups.group_oid IS 'The shop''s number of the group; group_oid in the views of orders and customers.';
COMMENT ON COLUMN bi.user_groups.user_group IS 'Name of the group. NULL: not sent.';
COMMENT ON COLUMN bi.user_groups.parent_oid IS 'Number of the group above. NULL: none, or not known.';
COMMENT ON COLUMN bi.user_groups.depth IS 'Level in the tree: 1 for a group without one above, at most 9.';
COMMENT ON COLUMN bi.user_groups.path IS 'Names from the top down, such as Wholesale / VIP; a group without a name shows its number. Eight levels above the group are followed, and a circle of groups once.';
COMMENT ON COLUMN bi.user_groups.path_oids IS 'The same with the numbers, such as /90/91/: unlike names they are unique.';
COMMENT ON COLUMN bi.user_groups.is_deleted IS 'True if the shop no longer lists the group.';
