import { expect, test } from 'vitest';

import { classifyAnswer } from '../../../src/shop-api/wire/response-kind.ts';
import { answerOf } from '../answer-of.ts';
import { apiOf } from '../api-of.ts';
import { startScriptedShop } from '../scripted-shop.ts';

const ASKED = '2147483647';

type Words = readonly [what: string, status: number, text: (id: string) => string];
const WORDS: readonly Words[] = [
  ['404', 404, () => '{"message":"no such order"}'],
  ['404 that names the order', 404, (id) => `{"error":"order ${id} not found","order_id":${id}}`],
  ['400', 400, () => '{"message":"no such order"}'],
  ['success 0', 200, () => '{"success":0}'],
  ['success 0 with a message', 200, () => '{"success":0,"message":"Order not found"}'],
  ['an empty content', 200, () => '{"ordercontent":[],"success":1}'],
  ['an empty content as an object', 200, () => '{"content":{"ordercontent":{}},"success":1}'],
  ['no content', 200, () => '{"ordercontent":null,"success":1}'],
  ['HTML', 200, (id) => `<!DOCTYPE html><title>No order ${id}</title><p>${id.repeat(3)}</p>`],
  ['an error with a time', 200, (id) => `{"error":"no ${id}","time":${id.length}17,"trace":"ab-${id}"}`],
  ['zero', 200, () => '0'],
  ['plain text', 200, (id) => `Order ${id} does not exist`],
  ['an empty body', 200, () => ''],
  ['null', 200, () => 'null'],
  ['a JSON string', 200, (id) => `"no order ${id}"`],
  ['403', 403, () => '{"message":"access denied"}'],
  ['451', 451, () => ''],
  ['500', 500, (id) => `{"error":"Undefined index ${id}"}`],
];
const LIVE = '{"ordercontent":[{"oid":"1_a","name":"Not found, no such order"}],"success":1}';

const of = (status: number, text: string, id = ASKED) => classifyAnswer(answerOf(status, text), id).shape;

test.each(WORDS)(
  '%s is the word of a shop for one order as for any other, and no other word is',
  (what, status, text) => {
    const impossible = of(status, text(ASKED));
    for (const id of ['7', '1', '100234', '9007199254740993']) {
      expect(of(status, text(id), id)).toBe(impossible);
    }
    expect(of(200, LIVE)).not.toBe(impossible);
    for (const [other, otherStatus, otherText] of WORDS) {
      if (other === what) continue;
      expect(of(otherStatus, otherText('7'), '7'), other).not.toBe(impossible);
    }
  },
);

test.each<[number, string, 'none' | 'list' | 'record']>([
  [404, '{}', 'none'],
  [410, '{}', 'none'],
  [404, '<html>', 'list'],
  [404, 'Order 5 does not exist', 'list'],
  [499, '{"error":"x"}', 'list'],
  [200, '{"content":[]}', 'none'],
  [200, '{"ordercontent":[]}', 'none'],
  [200, '{"other":[]}', 'list'],
  [400, '{"message":"no such order"}', 'list'],
  [200, '{"success":0}', 'none'],
  [200, '{"ordercontent":[],"success":1}', 'none'],
  [200, '{"success":0,"message":"Order not found"}', 'list'],
  [200, '{"success":0,"message":"Log in first"}', 'record'],
  [200, '{"error":"Доступ запрещён"}', 'record'],
  [200, '<html><title>Login</title>', 'list'],
  [200, 'Order 5 does not exist', 'list'],
  [200, '', 'list'],
  [200, '0', 'list'],
  [299, '{"success":0}', 'none'],
  [300, '{"success":0}', 'list'],
  [401, '{}', 'record'],
  [402, '{}', 'record'],
  [407, '{}', 'record'],
  [403, '{}', 'record'],
  [451, '{}', 'record'],
  [500, '{"error":"x"}', 'record'],
  [502, '<html>', 'record'],
])('%i %s is believed beside: %s', (status, text, control) => {
  expect(classifyAnswer(answerOf(status, text), ASKED).control).toBe(control);
});

test('a question is asked once, whatever the answer; it is asked again where none came or a pause was asked for', async () => {
  for (const [, status, text] of WORDS) {
    await using shop = await startScriptedShop((response, _index, { url }) => {
      if (url.includes('?')) return void response.end('{"orders":[]}');
      return void response.writeHead(status).end(text('7'));
    });
    const { found } = await apiOf(shop).orderResponse('7');
    expect(found?.lines ?? []).toEqual([]);
    // Where it was refused, a list request told that the login is not.
    const others = status === 403 ? ['/adm/api/orders?limit=1'] : [];
    expect(shop.received.map(({ url }) => url)).toEqual(['/adm/api/orders/7', ...others]);
  }
  await using shop = await startScriptedShop((response, index) => {
    if (index === 0) return void response.destroy();
    if (index === 1) return void response.writeHead(429).end();
    if (index === 2) return void response.writeHead(503, { 'Retry-After': '0' }).end();
    return void response.end('{"success":0}');
  });
  const api = apiOf(shop);
  expect(await api.orderResponse('7')).toMatchObject({ found: undefined, kind: { control: 'none' } });
  expect(api.counts).toMatchObject({ content: 4, retries: 3 });
});
