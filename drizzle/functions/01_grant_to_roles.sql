-- Compares roles, memberships and grants with what they are to be: roles may have been created later, a dump may have been restored
-- without them. What is there already is not written again.
CREATE OR REPLACE FUNCTION ops.grant_to_roles() RETURNS SETOF text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  version int := current_setting('server_version_num')::int;
  -- MAINTAIN: ANALYZE and VACUUM. Before PostgreSQL 17 only the owner may, and a worker's are skipped with a warning.
  writes text[] := ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] || CASE WHEN version >= 170000 THEN ARRAY['MAINTAIN'] END;
  me oid := (SELECT oid FROM pg_roles WHERE rolname = current_user);
  next record;
BEGIN
  IF NOT pg_has_role((SELECT nspowner FROM pg_namespace WHERE nspname = 'ops'), 'USAGE') THEN
    RETURN;
  END IF;
  -- A Citus refuses to grant on tables that refer to one another in parallel. Without one, nothing reads this setting.
  PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
  FOR next IN
    WITH RECURSIVE wanted_role AS (
      SELECT name, r.oid, purpose
      FROM (VALUES ('bi_reader', ''), ('bi_pii_reader', ''), ('order_sync_worker', ' -- for workers with a login of their own'))
        AS named(name, purpose)
      LEFT JOIN pg_roles r ON rolname = name
    ), member (role, member, is_member) AS (
      SELECT 'bi_reader', 'bi_pii_reader', pg_has_role(member.oid, role.oid, 'MEMBER')
      FROM wanted_role role JOIN wanted_role member ON role.name = 'bi_reader' AND member.name = 'bi_pii_reader'
      UNION ALL
      -- To run queries as the role. Since PostgreSQL 16 whoever creates a role may grant it, and no more.
      SELECT name, current_user::text, pg_has_role(oid, CASE WHEN version >= 160000 THEN 'SET' ELSE 'MEMBER' END)
      FROM wanted_role WHERE name <> 'order_sync_worker'
    ), place AS (
      SELECT w.role, r.oid AS role_oid, n.oid, n.nspname, n.nspowner, n.nspacl, w.rights
      FROM (VALUES
        ('bi_reader', 'bi', ARRAY['SELECT']), ('bi_pii_reader', 'bi_pii', ARRAY['SELECT']), ('order_sync_worker', 'bi', ARRAY['SELECT']),
        ('order_sync_worker', 'core', writes), ('order_sync_worker', 'raw', writes), ('order_sync_worker', 'ops', writes)) AS w(role, nspname, rights)
      JOIN pg_namespace n USING (nspname)
      JOIN wanted_role r ON r.name = w.role
    ), relation AS (
      SELECT p.role, p.role_oid, c.oid, c.relowner, c.relacl, CASE WHEN c.relkind = 'S' THEN 'SEQUENCE ' ELSE '' END AS kind,
        CASE
          WHEN c.relkind = 'S' THEN ARRAY['USAGE']
          -- Only those who apply migrations record them.
          WHEN c.oid = to_regclass('ops.migrations') THEN ARRAY['SELECT']
          -- What BI may see of order forms is for people to decide. Rows of a deleted shop go.
          WHEN c.oid = to_regclass('core.order_form_fields') THEN ARRAY['SELECT', 'DELETE']
          ELSE p.rights
        END AS rights
      FROM place p JOIN pg_class c ON c.relnamespace = p.oid AND c.relkind IN ('r', 'p', 'v', 'S')
      -- Others may have views of their own in bi.
      WHERE c.relowner IN (p.nspowner, me)
        OR EXISTS (SELECT FROM ops.migrations m WHERE m.name = 'views/' || c.relname)
    ), reader AS (
      -- A Citus asks its nodes as the role that reads: there it needs a login, and may read what the views read, column by column.
      SELECT name AS role, oid AS role_oid, rolcanlogin FROM wanted_role JOIN pg_roles r USING (oid)
      WHERE name <> 'order_sync_worker' AND ops.is_spread()
    ), viewed (role_oid, view) AS (
      SELECT p.role_oid, c.oid FROM place p JOIN reader USING (role_oid) JOIN pg_class c ON c.relnamespace = p.oid AND c.relkind = 'v'
      WHERE c.relowner IN (p.nspowner, me)
      UNION
      SELECT v.role_oid, d.refobjid FROM viewed v JOIN pg_rewrite w ON w.ev_class = v.view
      JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
    ), viewed_column AS (
      SELECT r.role, r.role_oid, a.attrelid::regclass AS relation, quote_ident(a.attname) AS name, a.attacl
      FROM viewed v JOIN reader r USING (role_oid) JOIN pg_rewrite w ON w.ev_class = v.view
      JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
      JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid AND a.attnum > 0
      JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r'
    ), later AS (
      SELECT p.role, p.role_oid, p.nspname, d.defaclacl, w.kind, w.rights
      FROM place p
      CROSS JOIN LATERAL (VALUES ('r', 'TABLES', p.rights), ('S', 'SEQUENCES', ARRAY['USAGE'])) AS w(type, kind, rights)
      LEFT JOIN pg_default_acl d
        ON d.defaclrole = me AND d.defaclnamespace = p.oid AND d.defaclobjtype::text = w.type
      WHERE w.type = 'r' OR p.rights <> ARRAY['SELECT']
    )
    SELECT 1 AS step, format('CREATE ROLE %I NOLOGIN;%s', name, purpose) AS statement FROM wanted_role WHERE oid IS NULL
    UNION ALL
    SELECT 2, format('GRANT %I TO %I%s;', role, member,
      CASE WHEN version >= 160000 AND member = current_user THEN ' WITH INHERIT FALSE, SET TRUE' END)
    FROM member WHERE is_member IS NOT TRUE
    UNION ALL
    SELECT 2, format('ALTER ROLE %I LOGIN;', role) FROM reader WHERE NOT rolcanlogin
    UNION ALL
    SELECT 3, format('GRANT USAGE ON SCHEMA core, ops TO %I;', role) FROM reader WHERE NOT has_schema_privilege(role_oid, 'ops', 'USAGE')
    UNION ALL
    SELECT 3, format('GRANT SELECT (%s) ON %s TO %I;', string_agg(DISTINCT name, ', '), relation, role) FROM viewed_column
    WHERE NOT EXISTS (SELECT FROM aclexplode(attacl) WHERE grantee = role_oid AND privilege_type = 'SELECT')
    GROUP BY relation, role
    UNION ALL
    SELECT 3, format('GRANT USAGE ON SCHEMA %I TO %I;', nspname, role) FROM place
    WHERE NOT EXISTS (SELECT FROM aclexplode(nspacl) WHERE grantee = role_oid AND privilege_type = 'USAGE')
    UNION ALL
    SELECT 3, format('GRANT %s ON %s%s TO %I;', array_to_string(rights, ', '), kind, string_agg(oid::regclass::text, ', '), role)
    FROM relation
    WHERE NOT rights <@ ARRAY(SELECT privilege_type FROM aclexplode(relacl) WHERE grantee = role_oid)
    GROUP BY role, kind, rights, relowner
    UNION ALL
    SELECT 3, format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT %s ON %s TO %I;', nspname, array_to_string(rights, ', '), kind, role)
    FROM later
    WHERE NOT rights <@ ARRAY(SELECT privilege_type FROM aclexplode(defaclacl) WHERE grantee = role_oid)
    ORDER BY step, statement
  LOOP
    BEGIN
      EXECUTE next.statement;
    EXCEPTION
      -- Roles belong to the whole server: another database creates it right now.
      WHEN duplicate_object OR unique_violation THEN NULL;
      WHEN insufficient_privilege THEN RETURN NEXT next.statement;
      WHEN undefined_object THEN
        -- A role is missing, and whoever creates it is told to come back for what the owner may grant.
        IF next.step < 3 THEN RETURN NEXT next.statement; END IF;
    END;
  END LOOP;
END $$;

COMMENT ON FUNCTION ops.grant_to_roles() IS 'Creates the roles bi_reader, bi_pii_reader and order_sync_worker and grants them what they need in this warehouse, as far as the owner may. Returns the statements that an administrator must run. Safe to run again.';
