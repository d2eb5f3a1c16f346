/** Shops whose answers are not quite JSON: PHP prints beside it, or into it. */
import { expect, test } from 'vitest';

import { FORCED, idAt, warnings } from '../support/copy.ts';
import { type Answer, withFrontedShop } from '../support/rewriting-shop.ts';

const NOTICE = '<br />\n<b>Warning</b>:  secret [1] in <b>/srv/{a}.php</b> on line <b>7</b><br />\n';

const SHOP = { orders: 30, days: 3, seed: 5 };

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
])('a shop that sends %s is loaded, with one warning', (_what, before, after) =>
  withFrontedShop(SHOP, async ({ front, sweep }) => {
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
  }),
);

test('a record that is nearly JSON is loaded, and its day is verified', () =>
  withFrontedShop(SHOP, async ({ client, front, simulator, sweep }) => {
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
    const { rows } = await client.query(
      `SELECT paid_amount::text AS paid, weight, (SELECT count(*)::int FROM tested.rejections) AS rejections
       FROM tested.orders WHERE order_id = $1`,
      [odd],
    );
    expect(rows).toEqual([{ paid: '12345678901.10', weight: null, rejections: 1 }]);
    expect(front.asked.filter((path) => path.startsWith('orders?')).length).toBeLessThan(10);
  }));
