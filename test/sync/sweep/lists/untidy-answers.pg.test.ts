/** Shops whose answers are not quite JSON, since PHP prints beside it or into it, or are in another charset. */
import { expect, test } from 'vitest';

import { isJsonObject } from '../../../../src/model/json.ts';
import { readRawOrders } from '../../../../src/warehouse/raw/raw-records.ts';
import type { Answer } from '../../../support/in-process-shop.ts';
import { FORCED, openShop } from '../../../support/shop.ts';
import { testedShopId } from '../../../support/sweep.ts';
import { idAt, warnings } from '../../support/copy.ts';

const NOTICE = '<br />\n<b>Warning</b>:  secret [1] in <b>/srv/{a}.php</b> on line <b>7</b><br />\n';

const around = (before: string, after: string) => (_path: string, answer: Answer) => {
  answer.body = Buffer.concat([Buffer.from(before), answer.body, Buffer.from(after)]);
};

test.each([
  ['a byte order mark three times', '\uFEFF\uFEFF\uFEFF', ''],
  ['a notice in HTML', NOTICE, ''],
  ['a plain notice and blank lines', '\n\nNotice: secret in /srv/a.php on line 7\n', '\n'],
  ['a stray character', '1', ''],
  ["a profiler's comment", '', '\n<!-- secret {0.1} -->'],
  ['NUL bytes', '', '\0'.repeat(2000)],
])('a shop that sends %s is loaded, with one warning', async (_what, before, after) => {
  const { front, sweep } = await openShop({ orders: 30, days: 3, seed: 5 });
  front.rewrite = around(before, after);
  const { logged, logger } = warnings();
  const swept = await sweep(FORCED, {}, { logger });
  expect(swept).toMatchObject({ status: 'ok', orders_new: 30, windows_unproven: 0 });
  const warning = expect.stringMatching(
    /^the shop sends text beside its data.* [\d,]+ characters? (before|after) it/,
  );
  expect(swept.warnings).toEqual([warning]);
  expect(logged).toEqual([[{ shop: 'test', warning }, 'text beside data']]);
  expect(JSON.stringify(swept.warnings)).not.toContain('secret');
});

test('a record that is nearly JSON is loaded, and its day is verified', async () => {
  const { front, rows, simulator, sweep } = await openShop({ orders: 30, days: 3, seed: 5 });
  const odd = idAt(simulator, 10);
  front.rewrite = (_path, answer) => {
    const text = answer.body.toString();
    const row = new RegExp(`\\{"order_id":${odd},[^]*?"hash":"[^"]*"`).exec(text)?.[0];
    if (row === undefined) return;
    const changed = row
      .replace(/"comment":"[^"]*"/, '"comment":"one\ttwo\u0001\nthree"')
      .replace(/"weight":[^,]*/, '"weight":NaN')
      .replace(/"paid":[^,]*/, '"paid":12345678901.10');
    answer.body = Buffer.from(text.replace(row, () => changed));
  };
  const swept = await sweep(FORCED);
  expect(swept).toMatchObject({ orders_new: 30, windows_unproven: 0, new_rejections: 1 });
  expect(
    await rows(
      `SELECT paid_amount::text AS paid, weight, (SELECT count(*)::int FROM tested.rejections) AS rejections
       FROM tested.orders WHERE order_id = $1`,
      odd,
    ),
  ).toEqual([{ paid: '12345678901.10', weight: null, rejections: 1 }]);
  expect(front.asked.filter((path) => path.startsWith('orders?')).length).toBeLessThan(10);
});

const SHOP = { orders: 24, days: 6, seed: 4 };
/** For what says nothing else. */
const UTF8 = { client: { charset: undefined } };

test.each([
  ['windows-1251', undefined],
  ['windows-1251-unlabelled', 'windows-1251'],
] as const)('a shop that writes %s is copied exactly', async (charset, setting) => {
  const { differences, rows, sweep } = await openShop({ ...SHOP, dialect: { charset } });
  expect(await sweep(FORCED, {}, { client: { charset: setting } })).toMatchObject({ status: 'ok' });
  expect(await differences()).toEqual([]);
  const [found] = await rows(
    `SELECT count(*) FILTER (WHERE buyer_name ~ '[а-яА-Я]')::int AS cyrillic,
         count(*) FILTER (WHERE o::text LIKE '%' || chr(65533) || '%' OR r.payload::text LIKE '%' || chr(65533) || '%')::int AS lost
       FROM tested.order_persons o JOIN tested.raw_orders r USING (shop_id, order_id)`,
  );
  expect(found).toMatchObject({ lost: 0 });
  expect(found.cyrillic).toBeGreaterThan(0);
});

test('an unknown charset ends the run with the setting to set, and nothing is loaded', async () => {
  const dialect = { charset: 'windows-1251-unlabelled' } as const;
  const { rows, sweep } = await openShop({ ...SHOP, dialect });
  await expect(sweep(FORCED, {}, UTF8)).rejects.toThrow(/SHOP_CHARSET.*such as windows-1251/);
  expect(await rows('SELECT 1 FROM tested.orders')).toEqual([]);
});

test('a broken byte in one order affects only that text; raw keeps where it was for a replay', async () => {
  const { clock, db, front, rows, shop, simulator, sweep } = await openShop(SHOP);
  const [broken, escaped, coded] = [idAt(simulator, 5), idAt(simulator, 10), idAt(simulator, 15)];
  shop.setRaw(broken, { comment: 'caf@ au lait' });
  shop.setRaw(escaped, { comment: 'lone ^ half' });
  shop.setRaw(coded, { status: 'N@' });
  front.rewrite = (_path, answer) => {
    const text = answer.body
      .toString('latin1')
      .replaceAll('caf@', 'caf\xe9')
      .replaceAll('^', String.raw`\ud800`);
    answer.body = Buffer.from(text.replaceAll('"N@"', '"N\xff"'), 'latin1');
  };
  const result = await sweep(FORCED, {}, UTF8);
  expect(result).toMatchObject({ status: 'partial', new_rejections: 3, orders_new: 24 });
  expect(result.days_verified).toBe(result.days_due);
  const comments = async () =>
    await rows(`SELECT comment FROM tested.order_persons WHERE order_id = ANY ($1) ORDER BY order_id`, [
      broken,
      escaped,
    ]);
  expect(await comments()).toEqual([{ comment: 'caf? au lait' }, { comment: 'lone ? half' }]);
  const open = async () =>
    await rows(
      `SELECT source_key, field, reason FROM tested.rejections WHERE resolved_at IS NULL ORDER BY source_key`,
    );
  const reason = 'parts of the text are no characters, and were replaced by question marks';
  const expected = [
    { source_key: String(broken), field: 'comment', reason },
    { source_key: String(escaped), field: 'comment', reason },
    { source_key: String(coded), field: 'status', reason: 'a code of which parts are no characters' },
  ];
  expect(await open()).toEqual(expected.toSorted((a, b) => Number(a.source_key) - Number(b.source_key)));

  clock.pass({ hours: 1 });
  const again = await sweep(FORCED, {}, UTF8);
  expect(again).toMatchObject({ status: 'ok', orders_changed: 0 });
  const raw = await readRawOrders(db, await testedShopId(db), { after: undefined, limit: 100 });
  const kept = raw.map(({ person }) => (isJsonObject(person?.rest) ? person.rest['comment'] : undefined));
  expect(kept).toContain('caf\udcff au lait');
  expect(kept).toContain('lone \ud800 half');
});
