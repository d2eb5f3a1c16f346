/** What each answer of the shop is taken for, by what was asked. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { classifyAnswer } from '../../../src/shop-api/wire/response-kind.ts';
import { answerOf } from '../answer-of.ts';
import { apiOf } from '../api-of.ts';
import { type ScriptedShop, startScriptedShop } from '../scripted-shop.ts';

const scene: { shop?: ScriptedShop; answer: string; status: number } = { answer: '', status: 200 };
beforeAll(async () => {
  scene.shop = await startScriptedShop((response, _index, { url }) => {
    // Lists show that the login is right, and that the shop is up.
    const isAsked = !url.includes('limit=1');
    response.writeHead(isAsked ? scene.status : 200).end(isAsked ? scene.answer : '{"orders":[],"total":0}');
  });
});
afterAll(() => scene.shop?.[Symbol.asyncDispose]());

/** What comes of an answer, or what is said of it. */
async function outcome<Read>(
  answer: string,
  ask: (api: ShopApi) => Promise<Read>,
  show: (read: Read) => unknown,
): Promise<unknown> {
  if (scene.shop === undefined) throw new Error('there is no shop');
  [scene.answer, scene.status] = /^\d{3} /.test(answer)
    ? [answer.slice(4), Number(answer.slice(0, 3))]
    : [answer, 200];
  return ask(apiOf(scene.shop, { retry: { firstPauseMs: 1, maxPauseMs: 1, maxAttempts: 1 } })).then(
    show,
    (error: Error) => error.message.replace(/^\w+ \/\w+(?:\/\w+)?: /, ''),
  );
}

const shape = (what: string) => `the response is not of the documented shape (${what})`;
const MESSAGE = 'the shop answered with an error message instead of data';

test.each([
  ['[]', []],
  ['{}', []],
  ['[{"oid":2},{"oid":"x"},3,null]', ['2', undefined, undefined, undefined]],
  ['{"0":{"oid":2},"message":"OK"}', ['2']],
  ['{"0":{"oid":"x"},"1":{"oid":2},"message":"OK"}', [undefined, '2']],
  ['{"message":{"oid":3}}', ['3']],
  ['{"5":{"oid":"5"},"6":{"oid":9007199254740993}}', ['5', '9007199254740993']],
  ['{"message":"no"}', []],
  ['{"0":5,"message":"no"}', MESSAGE],
  ['{"message":""}', []],
  ['"text"', []],
  ['null', []],
  ['204 ', []],
  ['7', shape('the whole: must be a list')],
])('groups: %s', async (answer, expected) => {
  const read = await outcome(
    answer,
    (api) => api.groups({}),
    (rows) => rows.map(({ groupOid }) => groupOid),
  );
  expect(read).toEqual(expected);
});

test('an address that answers nothing has no groups below one, but is no proof of a shop without any', async () => {
  const read = async (parentOid?: string) =>
    outcome(
      '404 {"message":"none"}',
      (api) => api.groups(parentOid === undefined ? {} : { parentOid }),
      (rows) => rows.length,
    );
  expect([await read('5'), await read('0'), await read()]).toEqual([
    0,
    expect.any(String),
    expect.any(String),
  ]);
});

test.each([
  ['{"oid":"7","name":"x"}', 'found 7 {"oid":"7","name":"x"}'],
  ['{"oid":"007","content":[]}', 'found 7 {"oid":"007","content":[]}'],
  ['[]', 'gone'],
  ['404 {"oid":7}', 'gone'],
  ['[1]', shape('oid: must be an identifier')],
  ['{"oid":"x"}', shape('oid: must be an identifier')],
  ['null', shape('oid: must be an identifier')],
  ['{"message":"no"}', MESSAGE],
])('a user: %s', async (answer, expected) => {
  const read = await outcome(
    answer,
    (api) => api.user('7'),
    (user) => (user.kind === 'found' ? `found ${user.userOid} ${JSON.stringify(user.raw)}` : user.kind),
  );
  expect(read).toBe(expected);
  const asked = await outcome(
    answer,
    (api) => api.userResponse('7'),
    ({ found }) => found?.userOid,
  );
  expect(asked).toBe(expected.startsWith('found') ? '7' : undefined);
});

test.each([
  ['{"ordercontent":["a"]}', ['a']],
  ['{"content":{"ordercontent":["a","b"]}}', ['a', 'b']],
  ['{"content":["a"]}', ['a']],
  ['{"ordercontent":["a"],"content":["b"]}', ['a']],
  ['{"ordercontent":{"2":"b","10":"c","1":"a"}}', ['a', 'b', 'c']],
  ['{"ordercontent":["a"],"message":"OK"}', ['a']],
  ['{"ordercontent":["a"],"success":0}', ['a']],
  ['{"ordercontent":["a"],"order_id":"7","oid":7}', ['a']],
  ['{"ordercontent":["a"],"order_id":7,"oid":8}', ['a']],
  ['{"ordercontent":["a"],"oid":8}', ['a']],
  // What a buyer wrote stands beside the lines.
  ['{"order_id":7,"fio":"A","message":"Ring","success":0,"ordercontent":{"9":"a"}}', ['a']],
  ['{"ordercontent":[]}', []],
  ['{"ordercontent":[],"success":1}', []],
  ['{"ordercontent":[],"success":1,"message":"OK"}', []],
  ['{"success":0}', 'gone'],
  ['{"success":"0","ordercontent":[]}', 'gone'],
  ['404 {"ordercontent":["a"]}', 'gone'],
  ['{"success":0,"message":"gone"}', MESSAGE],
  ['{"ordercontent":[],"message":"no"}', MESSAGE],
  ['{"success":1,"message":"no"}', MESSAGE],
  ['{"items":["a"]}', shape('ordercontent: must be a list')],
  ['{"ordercontent":"none"}', shape('ordercontent: must be a list')],
  ['["a"]', shape('the whole: must be an object')],
  ['{"ordercontent":["a"],"order_id":8}', shape('order_id: must be the requested order')],
])('an order: %s', async (answer, expected) => {
  const read = await outcome(
    answer,
    (api) => api.orderContent('7'),
    (content) => (content.kind === 'found' ? content.lines : content.kind),
  );
  expect(read).toEqual(expected);
  const asked = await outcome(
    answer,
    (api) => api.orderResponse('7'),
    ({ found }) => found?.lines.length,
  );
  expect(asked).toBe(Array.isArray(expected) ? expected.length : undefined);
});

test.each([
  ['[]', [[], [], undefined]],
  ['{"orders":[],"total":"5"}', [[], [], 5]],
  ['{"orders":[{"order_id":1},{"order_id":" 002 "}],"total":"x"}', [['1', '2'], [], undefined]],
  // Of 64 bits no digit is lost.
  [
    '{"orders":[{"order_id":9007199254740993},{"order_id":"9223372036854775807"}],"total":"6"}',
    [['9007199254740993', '9223372036854775807'], [], 6],
  ],
  ['{"orders":{"5":{"fio":"x"},"6":{"order_id":7},"8":{"order_id":""}}}', [['5', '7', '8'], [], undefined]],
  ['{"orders":{"7":{"order_id":null},"9":{}}}', [['7', '9'], [], undefined]],
  ['{"orders":{"8":{"order_id":"x"},"y":{},"9":3}}', [[], [{ order_id: 'x' }, 3, {}], undefined]],
  ['{"orders":[{"fio":"x"},{"order_id":""},null]}', [[], [{ fio: 'x' }, { order_id: '' }, null], undefined]],
  ['{"orders":[{"order_id":1},{"order_id":1}]}', [['1', '1'], [], undefined]],
  [
    '{"orders":[{"order_id":1},{"order_id":2},{"order_id":1,"fio":"x"}]}',
    [['2'], [{ order_id: 1 }, { order_id: 1, fio: 'x' }], undefined],
  ],
  ['{"orders":7}', shape('orders: must be a list')],
  ['{"message":"no"}', 'the shop answered with a message instead of data'],
  ['[7]', shape('orders: must be a list')],
])('a list: %s', async (answer, expected) => {
  const read = await outcome(
    answer,
    (api) => api.listOrders({}),
    ({ rows, malformed, total }) => [rows.map(({ orderId }) => orderId), malformed, total],
  );
  expect(read).toEqual(expected);
});

test('where only the key of a row says which order it is, the row is given that', async () => {
  const answer = '{"orders":{"5":{"fio":"x"},"6":{"order_id":7}}}';
  const read = await outcome(
    answer,
    (api) => api.listOrders({}),
    ({ rows, isKeyed }) => [rows.map(({ raw }) => raw), isKeyed],
  );
  expect(read).toEqual([[{ fio: 'x', order_id: '5' }, { order_id: 7 }], true]);
});

test.each([
  ['{"login":"l","actkey":"k","link":"u"}', { login: 'l', actkey: 'k', link: 'u' }],
  [
    '{"login":90071992547409931,"actkey":"k","link":"u"}',
    { login: '90071992547409931', actkey: 'k', link: 'u' },
  ],
  ['{"actkey":"k","link":"u"}', shape('login: must be a text')],
  ['{"login":{},"actkey":"k","link":"u"}', shape('login: must be a text')],
  ['{"login":"l","actkey":"","link":"u"}', shape('actkey: must be a text')],
  ['{"login":"l","actkey":"k"}', shape('link: must be a text')],
  ['[]', shape('login: must be a text')],
])('a login link: %s', async (answer, expected) => {
  const read = await outcome(
    answer,
    (api) => api.loginLink({ by: 'login', value: 'x' }),
    (link) => link,
  );
  expect(read).toEqual(expected);
});

test('each element of a list has a key, which tells orders of one number apart by their times, or by all that they say', async () => {
  const keysOf = (orders: string) =>
    outcome(
      `{"orders":${orders}}`,
      (api) => api.listOrders({}),
      ({ keys, isKeyed, received }) => [...keys, isKeyed, received],
    );
  const twins =
    '[{"order_id":1},{"order_id":1,"fio":"x"},{"fio":"y"},{"order_id":2,"created":"a","time":"b"}]';
  expect(await keysOf(twins)).toEqual([
    '["1",null,null]',
    '{"order_id":1,"fio":"x"}',
    '{"fio":"y"}',
    '["2","a","b"]',
    false,
    4,
  ]);
  expect(await keysOf('[{"order_id":1},{"order_id":1}]')).toEqual([
    '["1",null,null]',
    '["1",null,null]',
    false,
    2,
  ]);
  expect(await keysOf('[]')).toEqual([false, 0]);
});

test('groups are asked for by their parent and their place, and nothing is asked for after the end', async () => {
  await outcome(
    '[]',
    (api) => api.groups({ parentOid: '5', start: 10, limit: 50 }),
    () => undefined,
  );
  const received = scene.shop?.received ?? [];
  expect(received.at(-1)?.url).toBe('/adm/api/groups?parent_oid=5&start=10&limit=50');
  const before = received.length;
  const ended = AbortSignal.abort(new Error('asked to stop'));
  const asked: ((api: ShopApi) => Promise<unknown>)[] = [
    (api) => api.listOrders({}, ended),
    (api) => api.groups({}, ended),
    (api) => api.user('7', ended),
    (api) => api.userResponse('7', ended),
    (api) => api.orderContent('7', ended),
    (api) => api.orderResponse('7', ended),
    (api) => api.loginLink({ by: 'login', value: 'x' }, undefined, ended),
  ];
  for (const ask of asked)
    expect(await outcome('[]', ask, () => 'answered'), String(ask)).toBe('asked to stop');
  expect(received).toHaveLength(before);
});

/** What tells kinds of responses apart, and what does not. */
test.each<[string, 'one kind' | 'two kinds', string]>([
  ['{"n":5}', 'one kind', '{"n":6}'],
  ['{"n":5,"m":"x"}', 'one kind', '{"n":6,"m":"X"}'],
  ['{"success":0}', 'one kind', '{"success":"0"}'],
  ['{"success":0}', 'two kinds', '{"success":1}'],
  ['{"success":1}', 'two kinds', '{"success":2}'],
  ['{"order_id":1}', 'one kind', '{"order_id":7}'],
  ['{"count":1}', 'two kinds', '{"count":7}'],
  ['[]', 'two kinds', '[1]'],
  ['[]', 'two kinds', '[null]'],
  ['[5]', 'one kind', '[6]'],
  ['[5]', 'two kinds', '[6,7]'],
  ['["a"]', 'two kinds', '["b"]'],
  ['true', 'two kinds', 'false'],
  ['{"a":{"b":{"c":{"d":1}}}}', 'two kinds', '{"a":{"b":{"c":{"e":1}}}}'],
  ['[[[["a"]]]]', 'two kinds', '[[[["b"]]]]'],
  ['failed at 12:03:04', 'one kind', ' Failed  at 12:05:06.7\n'],
  ['failed at noon', 'two kinds', 'failed at night'],
  [`${'x '.repeat(100)}a`, 'one kind', `${'x '.repeat(100)}b`],
  [`${'x '.repeat(99)}a`, 'two kinds', `${'x '.repeat(99)}b`],
  ['<title>None</title>a', 'one kind', '<html><title lang="en">NONE</title>b'],
  ['<title>None</title>', 'two kinds', '<title>Some</title>'],
  ['<p>a', 'one kind', '<p>b'],
])('%s is of %s with %s', (one, kinds, other) => {
  const shapes = [one, other].map((text) => classifyAnswer(answerOf(200, text), '1').shape);
  expect(shapes[0] === shapes[1] ? 'one kind' : 'two kinds').toBe(kinds);
  expect(classifyAnswer(answerOf(404, one), '1').shape).not.toBe(shapes[0]);
});
