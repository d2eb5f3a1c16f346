-- The tree of groups.
SELECT shop, path, depth, group_oid FROM bi.user_groups WHERE NOT is_deleted ORDER BY shop, path, group_oid;
