import { expect, test } from 'vitest';

import { decodeEntities, ENTITIES } from '../../../../src/normalize/shown-text.ts';
import { openShop } from '../../../support/shop.ts';
import { OF_TEST_SHOP } from '../../../support/sweep.ts';

const COMPANY = 'Иванов &amp; Ко &quot;Ромашка&quot;';
const SHOWN = 'Иванов & Ко "Ромашка"';

test('ordinary values are stored as they were sent, and shown as they are meant', async () => {
  const { client, rows, shop, sweep } = await openShop({ orders: 40, days: 10, seed: 11 });
  const ids = shop.orders().map(({ orderId }) => orderId);
  const [texts = 0, amounts = 0, times = 0, fields = 0, small = 0, large = 0] = ids;
  shop.setRaw(texts, {
    fio: COMPANY,
    address: 'Ул. &laquo;Мира&raquo;&nbsp;1',
    comment: 'a &#151; b &#x27;c&#x27; &unknown; &',
    delivery: 'Курьер &ndash; &quot;Быстро&quot;',
    pay_method: 'Card &amp; cash',
  });
  shop.setRawContent(texts, [
    {
      oid: '1_a',
      name: 'Чай &laquo;Ромашка&raquo;',
      articul: 'A&amp;B',
      count: '2,5',
      price: '1&nbsp;234,50',
    },
  ]);
  shop.setRaw(amounts, {
    summ: '1&nbsp;234,50 &#8381;',
    paid: 'RUB 1\u200b234.50',
    delivery_price: '<b>1 234,50</b> руб.',
    count: 2.5,
  });
  shop.setRaw(times, { updated: '2026-11-24T12:30:15Z', time: '9:5' });
  shop.setRaw(fields, {
    fields: 'a:3:{s:1:"a";d:INF;s:1:"b";s:14:"x &amp; &#8381";s:1:"c";s:1:"z";}',
  });
  const [june, other] = [
    { created: '5.6.2026', time: '9:05' },
    { created: '05.06.2026', time: '09:06' },
  ];
  shop.setRaw(small, { ...june, currency: 'rub', summ: 100, status: 'N', count: 1.5 });
  shop.setRaw(large, { ...other, currency: 'RUB', summ: 200, status: 'N', count: 2 });
  shop.setRawContent(small, [{ oid: '1_a', name: 'Cloth', count: '1,5', price: 50, total: 75 }]);
  shop.setRawContent(large, [{ oid: '2_a', name: 'Cup', count: 2, price: 75, total: 150 }]);

  await sweep();
  const first = async (text: string, id: number) => (await rows(text, id))[0];
  const person = 'SELECT buyer_name, buyer_address, comment FROM';
  expect(await first(`${person} tested.order_persons WHERE order_id = $1`, texts)).toMatchObject({
    buyer_name: COMPANY,
    buyer_address: 'Ул. &laquo;Мира&raquo;&nbsp;1',
  });
  expect(
    await first(`${person} bi_pii.order_contacts WHERE order_id = $1 AND ${OF_TEST_SHOP}`, texts),
  ).toEqual({
    buyer_name: SHOWN,
    buyer_address: 'Ул. «Мира»\u00a01',
    comment: "a — b 'c' &unknown; &",
  });
  const line = 'SELECT product_name, sku, quantity, unit_price FROM';
  const read = { quantity: '2.500', unit_price: '1234.50' };
  expect(await first(`${line} tested.order_lines WHERE order_id = $1`, texts)).toEqual({
    ...read,
    product_name: 'Чай &laquo;Ромашка&raquo;',
    sku: 'A&amp;B',
  });
  expect(await first(`${line} bi.order_lines WHERE order_id = $1 AND ${OF_TEST_SHOP}`, texts)).toEqual({
    ...read,
    product_name: 'Чай «Ромашка»',
    sku: 'A&B',
  });
  expect(
    await first('SELECT delivery_name, pay_method FROM tested.bi_orders WHERE order_id = $1', texts),
  ).toEqual({ delivery_name: 'Курьер – "Быстро"', pay_method: 'Card & cash' });
  expect(
    await first(
      'SELECT order_sum, paid_amount, delivery_price, item_count FROM tested.bi_orders WHERE order_id = $1',
      amounts,
    ),
  ).toEqual({
    order_sum: '1234.50',
    paid_amount: '1234.50',
    delivery_price: '1234.50',
    item_count: '2.500',
  });
  expect(
    await first(
      `SELECT updated_local::text, updated_at AT TIME ZONE 'UTC' = '2026-11-24 12:30:15' AS is_instant,
           created_local::time::text AS clock FROM tested.orders WHERE order_id = $1`,
      times,
    ),
  ).toEqual({ updated_local: '2026-11-24 13:30:15', is_instant: true, clock: '09:05:00' });
  expect(await first('SELECT fields FROM tested.order_persons WHERE order_id = $1', fields)).toEqual({
    fields: {
      b: { value: 'x &amp; &#8381', name: null, label: null },
      c: { value: 'z', name: null, label: null },
    },
  });
  expect(
    await first(
      `SELECT reason FROM tested.rejections WHERE field = 'fields' AND source_key = $1::text AND resolved_at IS NULL`,
      fields,
    ),
  ).toEqual({ reason: 'entry 1 was left out: a number that is infinite, or that cannot be read' });

  // One currency in all sums, whether they are stored or counted anew.
  const currencies = 'SELECT DISTINCT currency FROM tested.orders WHERE order_id = ANY ($1) ORDER BY 1';
  expect(await rows(currencies, [small, large])).toEqual([{ currency: 'RUB' }, { currency: 'rub' }]);
  const sales = () =>
    rows(
      `SELECT currency, orders::int, revenue, items FROM tested.bi_daily_sales WHERE order_date = '2026-06-05'`,
    );
  const expected = [{ currency: 'RUB', orders: 2, revenue: '300.00', items: '3.500' }];
  expect(await sales()).toEqual(expected);
  await client.query('SELECT ops.refresh_summaries()');
  expect(await sales()).toEqual(expected);
  for (const view of ['orders', 'order_versions', 'customer_currencies', 'status_funnel', 'order_history'])
    expect(await rows(`SELECT 1 FROM bi.${view} WHERE currency <> upper(currency)`)).toEqual([]);
});

test('the database knows the entities that the program knows, and no others', async () => {
  const numbers = '&#1055; &#x41f; &#X41F; &#0; &#xd800; &#x110000; &#9999999; &#; &#x;'.split(' ');
  const odd = '& &&amp; &amp;amp; &amp amp; &nosuch; a&lt;b&gt;&amp; &lt;&lt;'.split(' ');
  const names = [...ENTITIES.keys()].map((name) => `x&${name};y`);
  const texts = [...numbers, ...odd, ...names, '& amp;', '&amp;lt; &lt;&gt;&quot;&#039;&nbsp;&amp;', ''];
  const { rows } = await openShop();
  const shown = await rows(
    'SELECT sent, ops.shown_text(sent) AS shown FROM unnest($1::text[]) AS t (sent)',
    texts,
  );
  expect(shown).toEqual(texts.map((sent) => ({ sent, shown: decodeEntities(sent) })));
  expect(await rows('SELECT ops.shown_text(NULL) AS shown')).toEqual([{ shown: null }]);
});
