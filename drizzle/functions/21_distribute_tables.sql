-- Spreads over the nodes of a Citus, by shop, what is not spread yet: the rows of core and raw, and what triggers note of them. core.shops is on
-- every node, and the rest of ops on the coordinator. Without a Citus with nodes it does nothing.
CREATE OR REPLACE FUNCTION ops.distribute_tables() RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  -- By name: a table that is taken off the coordinator's list is made anew.
  pending text[];
  pending_table text;
  step text;
  steps text[];
  keys text[];
BEGIN
  IF to_regclass('pg_dist_node') IS NULL THEN
    RETURN false;
  END IF;
  pending := ARRAY(
    SELECT c.oid::regclass FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
    -- One that refers to a table on every node became known to Citus by itself, on the coordinator alone.
    WHERE c.relkind = 'r' AND (p.logicalrelid IS NULL OR p.autoconverted) AND c.relname !~ '_\d{6,}$' AND c.oid <> 'core.shops'::regclass
      AND (c.relnamespace IN ('core'::regnamespace, 'raw'::regnamespace) OR c.oid IN ('ops.stale_sums'::regclass, 'ops.view_changes'::regclass))
      AND EXISTS (SELECT FROM pg_dist_node WHERE noderole = 'primary' AND shouldhaveshards)
    ORDER BY c.oid);
  IF pending = '{}' THEN
    RETURN false;
  END IF;
  -- Views are created again after this. Views of your own that read them stop this: drop those first.
  SELECT 'DROP VIEW ' || string_agg(oid::regclass::text, ', ') INTO step FROM pg_class
  WHERE relkind = 'v' AND relnamespace IN ('bi'::regnamespace, 'bi_pii'::regnamespace, 'core'::regnamespace);
  EXECUTE coalesce(step, '');
  -- It takes no statistics of expressions.
  DROP STATISTICS IF EXISTS core.orders_shown_currency;
  -- Tables that refer to one another are distributed one by one. One on the coordinator alone cannot refer to one that is on every node.
  keys := ARRAY(
    SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE contype = 'f' AND connamespace IN ('core'::regnamespace, 'raw'::regnamespace)
      AND NOT relation_is_a_known_shard(conrelid));
  -- All of them first: what is known as a part of a table changes with each.
  steps := ARRAY(
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname)
    FROM pg_constraint WHERE contype = 'f' AND NOT relation_is_a_known_shard(conrelid)
      AND (connamespace IN ('core'::regnamespace, 'raw'::regnamespace)
        OR connamespace = 'ops'::regnamespace AND confrelid = 'core.shops'::regclass)
    UNION ALL
    SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass) FROM pg_trigger
    WHERE NOT tgisinternal AND (tgrelid = ANY (pending::regclass[]) OR tgrelid = 'core.shops'::regclass));
  FOREACH step IN ARRAY steps LOOP
    EXECUTE step;
  END LOOP;
  IF NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'core.shops'::regclass) THEN
    -- Such tables have no identity columns of this type.
    ALTER TABLE core.shops ALTER shop_id DROP IDENTITY;
    CREATE SEQUENCE core.shops_shop_id_seq AS integer OWNED BY core.shops.shop_id;
    PERFORM setval('core.shops_shop_id_seq', coalesce(max(shop_id), 0) + 1, false) FROM core.shops;
    ALTER TABLE core.shops ALTER shop_id SET DEFAULT nextval('core.shops_shop_id_seq');
    PERFORM create_reference_table('core.shops');
  END IF;
  FOREACH pending_table IN ARRAY pending LOOP
    PERFORM create_distributed_table(pending_table, 'shop_id');
    PERFORM truncate_local_data_after_distributing_table(pending_table);
  END LOOP;
  FOREACH step IN ARRAY keys LOOP
    EXECUTE step;
  END LOOP;
  PERFORM ops.create_triggers();
  RETURN true;
END $$;
