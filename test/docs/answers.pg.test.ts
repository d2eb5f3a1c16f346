/** Every query in the documents and dashboards is asked of a loaded warehouse, by the role that will ask it. */
import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { questionsOf, sqlOf, withAnswers } from './answers.ts';
import { askAs, inRollback, readerOf } from './as-reader.ts';
import { type DemoWarehouse, openDemoWarehouse } from './demo-warehouse.ts';
import { readQueries } from './dictionary.ts';
import { describeDashboards } from './describe-dashboards.ts';
import { describeFigures } from './describe-figures.ts';
import { brokenKeys, brokenPointers, columnsWith, unexplainedNulls } from './held-to-data.ts';
import { inRepository } from './markdown.ts';

const QUESTIONS = 40;
/** Of a query at most. */
const LINES = 8;

let demo: DemoWarehouse;

beforeAll(async () => {
  demo = await openDemoWarehouse();
});
afterAll(() => demo[Symbol.asyncDispose]());

test('every example query has an answer, and asks the view that it is of', async () => {
  for (const [view, query] of await readQueries()) {
    const { rows } = await askAs(demo.client, readerOf(view), query);
    expect({ view, hasRows: rows.length > 0 }).toEqual({ view, hasRows: true });
    expect(query).toMatch(new RegExp(`(?<![\\w.])${RegExp.escape(view)}\\b`));
  }
});

test('generated: the answers in docs/questions.md are those of the demo data, each to one short query', async () => {
  const path = inRepository('docs/questions.md');
  const document = await readFile(path, 'utf8');
  const queries = questionsOf(document);
  expect(queries).toHaveLength(QUESTIONS);
  expect(queries.filter((query) => query.trim().split('\n').length > LINES)).toEqual([]);
  const message = 'docs/questions.md is stale: npm run docs:dictionary';
  const answered = await withAnswers(demo.client, document);
  expect(answered).not.toMatch(/\| -[-: |]*\n\n<!-- \/answer/);
  await expect(answered, message).toMatchFileSnapshot(path);
});

test('a status that is named and classified as the documents show counts from then on', async () => {
  const updates = sqlOf(await readFile(inRepository('docs/bi.md'), 'utf8')).filter((sql) =>
    sql.startsWith('UPDATE'),
  );
  const state = async () => {
    const named = `SELECT DISTINCT status, stage FROM bi.orders WHERE status_code IN ('A', 'C', 'W7') ORDER BY 1`;
    const sales = 'SELECT sum(orders)::int AS sales FROM bi.daily_sales';
    return [(await demo.client.query(named)).rows, (await demo.client.query(sales)).rows[0].sales];
  };
  const [, before] = await state();
  const after = await inRollback(demo.client, async () => {
    for (const update of updates) await demo.client.query(update);
    return state();
  });
  expect(after).toEqual([
    [
      { status: 'Angenommen', stage: 'open' },
      { status: 'Wartet auf Ware', stage: 'open' },
      { status: 'Zugestellt', stage: 'delivered' },
    ],
    before + 1,
  ]);
});

describe('what the dictionary says of views is true of their rows:', () => {
  test('their keys tell rows apart', async () => {
    expect(await brokenKeys(demo.client)).toEqual([]);
  });
  test('their references point to existing rows', async () => {
    expect(await brokenPointers(demo.client)).toEqual([]);
  });
  test('columns whose comment does not mention NULL contain none', async () => {
    // Views that count anew what is stale, or list what may be gone, have rows only while something is.
    const unexplained = await inRollback(demo.client, async () => {
      await demo.client.query('SELECT ops.mark_everything()');
      await demo.client.query(
        'UPDATE core.orders SET missing_since = now() WHERE created_on IS NULL OR order_id % 50 = 0',
      );
      return unexplainedNulls(demo.client);
    });
    expect(unexplained).toEqual([]);
  });
});

test('personal data is found only where the comments warn of it, and nowhere in bi', async () => {
  const buyers = demo.simulator.shop.orders().filter((order) => order.email !== '' && order.phone !== '');
  const texts = buyers.slice(-5).flatMap(({ email, phone, fio }) => [email, phone, fio]);
  const found = await columnsWith(demo.client, texts);
  expect(found.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'core.order_persons.buyer_email',
      'core.user_persons.email',
      'bi_pii.order_contacts.buyer_phone',
    ]),
  );
  expect(
    found.filter(({ name }) => /^(?:raw|ops|bi)\.|^core\.(?!(?:order|user)_persons\.)/.test(name)),
  ).toEqual([]);
  expect(
    found.filter(({ name, warning }) => name.startsWith('bi.') || !/personal data/i.test(warning)),
  ).toEqual([]);
});

describeDashboards(() => demo.client);
describeFigures(() => demo.client);
