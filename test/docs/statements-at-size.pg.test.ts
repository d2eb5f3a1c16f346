/** Every statement of SQL in README and docs, with thousands of orders, as the role that the text names. */
import { randomBytes } from 'node:crypto';

import type { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { fillWarehouse, refreshAll } from '../../bench/support/fill-warehouse.ts';
import { registerShop } from '../../src/warehouse/directory/registered-shops.ts';
import { emptyDatabase } from '../support/database.ts';
import { FIRST_STATE } from '../support/first-state.ts';
import { openTestWarehouse, type TestWarehouse } from '../warehouse/test-warehouse.ts';
import { sqlOf } from './answers.ts';
import { askAs, readerOf } from './as-reader.ts';
import { readQueries } from './dictionary.ts';
import { type Documented, documentedIn, readPages, roleOf } from './documented-commands.ts';
import { isRunElsewhere } from './run-elsewhere.ts';
import { IS_LONG } from '../support/long.ts';
import { longTest } from '../support/long-test.ts';

const ORDERS = IS_LONG ? 20_000 : 3_000;
/**
 * What the planner expects a statement to cost at most, which no machine's speed changes. The dearest, which reads the lines of 20,000
 * orders, costs 670,000 and took 0.1 s on two cores; one that reads all orders for each of them costs tens of millions, and minutes.
 */
const MOST_COST = 50 * ORDERS;
const pages = await readPages();

const stack = new AsyncDisposableStack();
let warehouse: TestWarehouse;
let client: Client;
beforeAll(async () => {
  warehouse = stack.use(await openTestWarehouse(emptyDatabase));
  const shop = { shopKey: 'demo', baseUrl: 'https://shop.example', timezone: 'Europe/Berlin' };
  await registerShop(warehouse.db, shop, FIRST_STATE);
  client = await warehouse.database.connect();
  stack.defer(() => client.end());
  await fillWarehouse(client, { orders: ORDERS });
  await refreshAll(client, warehouse.db);
  await client.query('ANALYZE');
});
afterAll(() => stack.disposeAsync());

longTest('each question and each example is answered by the readers of bi', async () => {
  const questions = sqlOf(pages.get('docs/questions.md') ?? '').map((query) => ['bi_reader', query] as const);
  const examples = [...(await readQueries())].map(([view, query]) => [readerOf(view), query] as const);
  expect(questions.length + examples.length).toBeGreaterThan(70);
  const dear: unknown[] = [];
  for (const [role, query] of [...questions, ...examples]) {
    const cost = await costOf(query, role);
    if (cost > MOST_COST) dear.push({ query, cost });
    await askAs(client, role, query);
  }
  expect(dear).toEqual([]);
});

const STATEMENTS = [...pages]
  .map(([page, text]) => [page, documentedIn(page, text).filter(isRunHere)] as const)
  .filter(([, statements]) => statements.length > 0);

test.for(STATEMENTS)(
  '%s: each statement runs as the role that the text names',
  async ([page, statements]) => {
    // Roles belong to all databases of the server.
    const suffix = `_${randomBytes(4).toString('hex')}`;
    await using own = await connectAgain();
    for (const statement of statements) {
      const role = roleOf(statement);
      const asked = standIns(statement.text, suffix);
      await own.client.query(role === undefined ? 'RESET ROLE' : `SET ROLE ${standIns(role, suffix)}`);
      await own.client.query(
        `SET default_transaction_read_only = ${role?.startsWith('bi') === true ? 'on' : 'off'}`,
      );
      const cost = /^(SELECT|WITH)/.test(asked) ? await costOf(asked, undefined, own.client) : 0;
      expect(cost, asked).toBeLessThan(MOST_COST);
      await expect(
        own.client.query(asked),
        `${page}, as ${role ?? 'the owner'}: ${asked}`,
      ).resolves.toBeDefined();
    }
  },
);

test('a query that reads all orders for each order would be found', async () => {
  const dear = `SELECT o.* FROM bi.orders o
    WHERE o.changed_at > (SELECT max(t.changed_at) FROM bi.orders t WHERE t.shop_id = o.shop_id)`;
  expect(await costOf(dear, 'bi_reader')).toBeGreaterThan(5 * MOST_COST);
});

const MADE_ROLES = /\b(anna|copier)\b/g;
const standIns = (text: string, suffix: string) =>
  text
    .replaceAll(MADE_ROLES, `$1${suffix}`)
    .replaceAll(":'email'", "'user7@mail.example'")
    .replaceAll(":'phone'", "'9165551234'")
    .replaceAll("'bi.name'", "'bi.orders'")
    .replaceAll('ALTER ROLE bi ', 'ALTER ROLE CURRENT_USER ')
    .replace(/^TRUNCATE .*/, 'BEGIN; $&; ROLLBACK');

function isRunHere({ isSql, text }: Documented): boolean {
  return isSql && !isRunElsewhere(text);
}

async function costOf(query: string, role?: string, asker = client): Promise<number> {
  const explain = `EXPLAIN (FORMAT JSON) ${query.replace(/;\s*$/, '')}`;
  if (role !== undefined) {
    const { rows } = await askAs(asker, role, explain);
    return JSON.parse(rows[0]?.[0] ?? '')[0].Plan['Total Cost'];
  }
  const { rows } = await asker.query<{ 'QUERY PLAN': { Plan: { 'Total Cost': number } }[] }>(explain);
  return rows[0]?.['QUERY PLAN'][0]?.Plan['Total Cost'] ?? Number.NaN;
}

async function connectAgain() {
  const own = await warehouse.database.connect();
  return {
    client: own,
    async [Symbol.asyncDispose]() {
      await own.query('ROLLBACK; RESET ROLE');
      const { rows } = await own.query<{ rolname: string }>(`
        SELECT rolname FROM pg_roles WHERE rolname ~ '^(anna|copier)_[0-9a-f]{8}$'
          AND pg_has_role(current_user, oid, 'USAGE')`);
      for (const { rolname } of rows)
        await own.query(`DROP OWNED BY ${rolname} CASCADE; DROP ROLE ${rolname}`);
      await own.end();
    },
  };
}
