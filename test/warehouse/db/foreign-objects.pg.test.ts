/** What somebody else put on our tables, and how its failures are reported. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Database, openDatabase } from '../../../src/warehouse/db/database.ts';
import { databaseSentence } from '../../../src/warehouse/db/database-error.ts';
import { registerShop } from '../../../src/warehouse/directory/registered-shops.ts';
import { emptyDatabase, type TestDatabase } from '../../support/database.ts';
import { FIRST_STATE } from '../../support/first-state.ts';

let fresh: TestDatabase;
let database: Database;
beforeAll(async () => {
  fresh = await emptyDatabase();
  database = await openDatabase(fresh.url, 2);
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await fresh[Symbol.asyncDispose]();
});

const trigger = (body: string) => `
  CREATE SCHEMA audit;
  CREATE FUNCTION audit.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; RETURN NEW; END $$;
  CREATE TRIGGER note AFTER INSERT ON core.shops FOR EACH ROW EXECUTE FUNCTION audit.note()`;
const WITHOUT_TRIGGER = 'DROP SCHEMA audit CASCADE';
const THEIRS =
  'the function audit.note, which a trigger called, is not from order-sync; correct it, or take it away';

test.each([
  [
    'a trigger whose table is missing',
    trigger(`INSERT INTO audit.log VALUES (1)`),
    WITHOUT_TRIGGER,
    `relation "audit.log" does not exist (SQLSTATE 42P01); ${THEIRS}`,
  ],
  [
    'a trigger that raises an error, whose text may quote rows',
    trigger(`RAISE EXCEPTION USING ERRCODE = '23514', MESSAGE = 'secret row'`),
    WITHOUT_TRIGGER,
    `it refused a value (SQLSTATE 23514); ${THEIRS}`,
  ],
  [
    'a constraint',
    `ALTER TABLE core.shops ADD CONSTRAINT only_https CHECK (base_url LIKE 'https:%')`,
    'ALTER TABLE core.shops DROP CONSTRAINT only_https',
    'new row for relation "shops" violates check constraint "only_https" (SQLSTATE 23514); ' +
      'the constraint only_https of core.shops is not from order-sync; correct it, or take it away',
  ],
])('%s of somebody else is named, with the table', async (_what, add, drop, said) => {
  await database.query(add);
  try {
    const shop = { shopKey: 'north', baseUrl: 'http://shop.example', timezone: 'UTC' };
    const failure: unknown = await registerShop(database.db, shop, FIRST_STATE).catch(
      (error: unknown) => error,
    );
    expect(databaseSentence(failure)).toBe(`writing core.shops: ${said}`);
  } finally {
    await database.query(drop);
  }
});

test('a failure of ours is not called somebody else’s', async () => {
  const shop = { shopKey: 'south', baseUrl: 'http://shop.example', timezone: 'UTC' };
  await registerShop(database.db, shop, FIRST_STATE);
  for (const statement of [
    `INSERT INTO core.shops (shop_key, base_url, timezone) VALUES ('south', 'http://shop.example', 'UTC')`,
    'SELECT 1 FROM core.nothing',
    'INSERT INTO ops.days (shop_id, day) VALUES (0, now())',
    'ALTER TABLE core.orders DROP COLUMN created_on CASCADE; SELECT ops.mark_everything()',
  ]) {
    const failure: unknown = await database.query(statement).catch((error: unknown) => error);
    expect(databaseSentence(failure)).toMatch(/SQLSTATE|a table is missing/);
    expect(databaseSentence(failure)).not.toContain('not from order-sync');
  }
});
