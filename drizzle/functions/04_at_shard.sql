-- Whether the tables are spread over the nodes of a Citus.
CREATE OR REPLACE FUNCTION ops.is_spread() RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF to_regclass('pg_dist_partition') IS NULL THEN
    RETURN false;
  END IF;
  RETURN EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'core.orders'::regclass);
END $$;

-- A statement of a trigger, as the table of the trigger needs it: on a Citus a trigger runs on a shard, and reads and writes the shards of the
-- same shops, which are always on the same node, instead of their tables. The ledger of days is on the coordinator alone: for a shard it is empty.
CREATE OR REPLACE FUNCTION ops.at_shard(statement text, relation name) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  near record;
BEGIN
  IF to_regclass('pg_dist_shard') IS NULL OR relation !~ '_\d{6,}$' THEN
    RETURN statement;
  END IF;
  FOR near IN
    SELECT theirs.logicalrelid::text AS name, theirs.shardid FROM pg_dist_shard own
    JOIN pg_dist_shard theirs ON theirs.shardminvalue = own.shardminvalue OR theirs.shardminvalue IS NULL
    WHERE own.shardid = substring(relation FROM '\d+$')::bigint
  LOOP
    statement := regexp_replace(statement, format('\m%s\M', replace(near.name, '.', '\.')), near.name || '_' || near.shardid, 'g');
  END LOOP;
  RETURN replace(statement, 'ops.days d', '(SELECT NULL::integer, NULL::date, NULL::timestamptz) d (shop_id, day, verified_at)');
END $$;

-- Makes the function of triggers that does this for the rows that a statement wrote, if there are any: `written`, and `old_rows` where it changed
-- them. Statements are planned once for a session, but those of shards.
CREATE OR REPLACE FUNCTION ops.define_follower(name text, VARIADIC statements text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  EXECUTE format('CREATE OR REPLACE FUNCTION ops.%I() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS %L', name, (
    SELECT 'BEGIN IF NOT EXISTS (SELECT FROM written) THEN RETURN NULL; END IF; '
      || string_agg(format('IF TG_TABLE_NAME ~ ''_\d{6,}$'' THEN EXECUTE ops.at_shard(%1$L, TG_TABLE_NAME); ELSE %1$s; END IF; ', statement), '' ORDER BY place)
      || 'RETURN NULL; END'
    FROM unnest(statements) WITH ORDINALITY AS s (statement, place)));
END $$;

-- What a Citus shows of the extra fields of an order to who may not read persons.
CREATE OR REPLACE FUNCTION ops.shown_fields(shop integer, number bigint) RETURNS TABLE (key text, value jsonb, field_no bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY EXECUTE format('
    SELECT w.field_key, CASE WHEN w.field_key IS NOT NULL THEN f.value WHEN btrim(f.value ->> ''value'') <> '''' THEN ''{"value": "(hidden)"}'' END,
      f.field_no
    FROM core.order_persons_%s p
    CROSS JOIN LATERAL jsonb_each(CASE WHEN jsonb_typeof(p.fields) = ''object'' THEN p.fields END) WITH ORDINALITY AS f (key, value, field_no)
    LEFT JOIN core.order_form_fields_%s w ON w.shop_id = p.shop_id AND w.field_key = f.key AND w.is_shown
    WHERE p.shop_id = $1 AND p.order_id = $2',
    get_shard_id_for_distribution_column('core.order_persons', shop), get_shard_id_for_distribution_column('core.order_form_fields', shop))
  USING shop, number;
END $$;
