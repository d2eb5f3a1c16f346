/** Another program with a schema of its own in the same database, such as one that uses pg-boss. */
import { expect, test } from 'vitest';

import { openDatabase } from '../../../src/warehouse/db/database.ts';
import { freshDatabase } from '../../support/database.ts';
import { runInProcess } from '../../support/run-in-process.ts';

/** As version 10 of pg-boss leaves them, in short. */
const FOREIGN = `
  CREATE SCHEMA pgboss;
  CREATE TYPE pgboss.job_state AS ENUM ('created', 'retry', 'active', 'completed', 'cancelled', 'failed');
  CREATE TABLE pgboss.version (version int PRIMARY KEY, maintained_on timestamptz, cron_on timestamptz, monitored_on timestamptz);
  CREATE TABLE pgboss.queue (name text PRIMARY KEY, policy text, retry_limit int, created_on timestamptz NOT NULL DEFAULT now());
  CREATE TABLE pgboss.job (id uuid NOT NULL DEFAULT gen_random_uuid(), name text NOT NULL, data jsonb, state pgboss.job_state NOT NULL DEFAULT 'created',
    start_after timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (name, id)) PARTITION BY LIST (name);
  CREATE TABLE pgboss.jobs_of_theirs PARTITION OF pgboss.job FOR VALUES IN ('theirs');
  INSERT INTO pgboss.version (version) VALUES (24);
  INSERT INTO pgboss.queue (name) VALUES ('theirs');
  INSERT INTO pgboss.job (name, start_after) VALUES ('theirs', now() + interval '3 hours')`;

/** Every row of theirs and of what describes it, with the transaction that wrote it. */
const THEIRS = `
  SELECT 'schema' AS kind, xmin::text, to_jsonb(n) AS row FROM pg_namespace n WHERE nspname = 'pgboss'
  UNION ALL SELECT 'relation', xmin::text, jsonb_build_array(relname, relacl, relowner) FROM pg_class WHERE relnamespace = 'pgboss'::regnamespace
  UNION ALL SELECT 'column', a.xmin::text, jsonb_build_array(relname, attname) FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
    WHERE relnamespace = 'pgboss'::regnamespace
  UNION ALL SELECT 'function', xmin::text, to_jsonb(proname) FROM pg_proc WHERE pronamespace = 'pgboss'::regnamespace
  UNION ALL SELECT 'default', xmin::text, to_jsonb(d) FROM pg_default_acl d WHERE defaclnamespace = 'pgboss'::regnamespace
  UNION ALL SELECT 'version', xmin::text, to_jsonb(v) FROM pgboss.version v
  UNION ALL SELECT 'queue', xmin::text, to_jsonb(q) FROM pgboss.queue q
  UNION ALL SELECT 'job', xmin::text, to_jsonb(j) FROM pgboss.job j
  ORDER BY 1, 3`;

test('its own objects stay unchanged', async () => {
  await using fresh = await freshDatabase();
  await using database = await openDatabase(fresh.url, 3);
  await database.query(FOREIGN);
  const read = async () => (await database.query(THEIRS)).rows;
  const before = await read();
  expect(before.length).toBeGreaterThan(20);
  expect(await runInProcess(['migrate'], { DATABASE_URL: fresh.url })).toMatchObject({ code: 0 });
  expect(await read()).toEqual(before);
});
