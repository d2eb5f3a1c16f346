import { expect, test } from 'vitest';

import { isJsonObject } from '../../../src/model/json.ts';
import { readRawOrders } from '../../../src/warehouse/raw/raw-records.ts';
import { testedShopId } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';
import { FORCED, idAt } from '../support/copy.ts';
import { withFrontedShop } from '../support/rewriting-shop.ts';

const SHOP = { orders: 24, days: 6, seed: 4 };

test.each([
  ['windows-1251', undefined],
  ['windows-1251-unlabelled', 'windows-1251'],
] as const)('a shop that writes %s is copied exactly', (charset, setting) =>
  withFrontedShop({ ...SHOP, dialect: { charset } }, async ({ client, front, simulator, sweep }) => {
    const through = () => front.api({ charset: setting });
    expect(await sweep(FORCED, {}, { through })).toMatchObject({ status: 'ok' });
    expect(await differences(client, simulator.shop)).toEqual([]);
    const { rows } = await client.query(
      `SELECT count(*) FILTER (WHERE buyer_name ~ '[а-яА-Я]')::int AS cyrillic,
         count(*) FILTER (WHERE o::text LIKE '%' || chr(65533) || '%' OR r.payload::text LIKE '%' || chr(65533) || '%')::int AS lost
       FROM tested.order_persons o JOIN tested.raw_orders r USING (shop_id, order_id)`,
    );
    expect(rows).toEqual([{ cyrillic: expect.any(Number), lost: 0 }]);
    expect(rows[0]).not.toMatchObject({ cyrillic: 0 });
  }),
);

test('an unknown charset ends the run with the setting to set, and nothing is loaded', () => {
  const dialect = { charset: 'windows-1251-unlabelled' } as const;
  return withFrontedShop({ ...SHOP, dialect }, async ({ client, sweep }) => {
    await expect(sweep(FORCED)).rejects.toThrow(/SHOP_CHARSET.*such as windows-1251/);
    expect((await client.query('SELECT 1 FROM tested.orders')).rows).toEqual([]);
  });
});

test('a broken byte in one order affects only that text; raw keeps where it was for a replay', () =>
  withFrontedShop(SHOP, async ({ client, clock, db, front, simulator, sweep }) => {
    const [broken, escaped, coded] = [idAt(simulator, 5), idAt(simulator, 10), idAt(simulator, 15)];
    simulator.shop.setRaw(broken, { comment: 'caf@ au lait' });
    simulator.shop.setRaw(escaped, { comment: 'lone ^ half' });
    simulator.shop.setRaw(coded, { status: 'N@' });
    front.rewrite = (_path, answer) => {
      const text = answer.body
        .toString('latin1')
        .replaceAll('caf@', 'caf\xe9')
        .replaceAll('^', String.raw`\ud800`);
      answer.body = Buffer.from(text.replaceAll('"N@"', '"N\xff"'), 'latin1');
    };
    const result = await sweep(FORCED);
    expect(result).toMatchObject({ status: 'partial', new_rejections: 3, orders_new: 24 });
    expect(result.days_verified).toBe(result.days_due);
    const comments = async () =>
      (
        await client.query(
          `SELECT comment FROM tested.order_persons WHERE order_id = ANY ($1) ORDER BY order_id`,
          [[broken, escaped]],
        )
      ).rows;
    expect(await comments()).toEqual([{ comment: 'caf? au lait' }, { comment: 'lone ? half' }]);
    const open = async () =>
      (
        await client.query(
          `SELECT source_key, field, reason FROM tested.rejections WHERE resolved_at IS NULL ORDER BY source_key`,
        )
      ).rows;
    const reason = 'parts of the text are no characters, and were replaced by question marks';
    const expected = [
      { source_key: String(broken), field: 'comment', reason },
      { source_key: String(escaped), field: 'comment', reason },
      { source_key: String(coded), field: 'status', reason: 'a code of which parts are no characters' },
    ];
    expect(await open()).toEqual(expected.toSorted((a, b) => Number(a.source_key) - Number(b.source_key)));

    clock.pass({ hours: 1 });
    const again = await sweep(FORCED);
    expect(again).toMatchObject({ status: 'ok', orders_changed: 0 });
    const raw = await readRawOrders(db, await testedShopId(db), { after: undefined, limit: 100 });
    const kept = raw.map(({ person }) => (isJsonObject(person?.rest) ? person.rest['comment'] : undefined));
    expect(kept).toContain('caf\udcff au lait');
    expect(kept).toContain('lone \ud800 half');
  }));
