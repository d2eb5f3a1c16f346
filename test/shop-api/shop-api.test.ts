import { afterAll, beforeAll, expect, test } from 'vitest';

import { isJsonObject } from '../../src/model/json.ts';
import type { AuthSubject } from '../../src/shop-api/endpoints/request-login-link.ts';
import type { ShopApi } from '../../src/shop-api/shop-api.ts';
import type { GroupRow } from '../../src/shop-api/endpoints/list-groups.ts';
import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { apiOf, NOW } from './api-of.ts';
import { ONE_ORDER, startScriptedShop } from './scripted-shop.ts';

let sim: Simulator;
let api: ShopApi;
beforeAll(async () => {
  sim = await startSimulator({ orders: 300, days: 30, now: NOW });
  api = apiOf(sim);
});
afterAll(() => sim.close());

function someUser() {
  const user = sim.shop.users().find(({ email, hasContent }) => email !== '' && hasContent);
  if (user === undefined) throw new Error('the shop has no user with an e-mail address');
  return user;
}

test('the content of an order is its lines, and an unknown order is gone', async () => {
  for (const order of sim.shop.orders().slice(0, 20)) {
    const content = await api.orderContent(String(order.orderId));
    if (content.kind === 'gone') throw new Error('the order was not found');
    expect(content.lines).toMatchObject(
      order.lines.map(({ oid, quantity, totalCents }) => ({ oid, count: quantity, total: totalCents / 100 })),
    );
    expect(content.raw).toMatchObject({ success: 1 });
  }
  expect(await api.orderContent('99999999')).toEqual({ kind: 'gone' });
});

test('a user is found by identifier, login and e-mail, and nobody else is', async () => {
  const user = someUser();
  for (const key of [String(user.oid), user.login, user.email]) {
    expect(await api.user(key)).toMatchObject({
      kind: 'found',
      userOid: String(user.oid),
      raw: { oid: user.oid, parent_oid: user.groupOid, content: { login: user.login, email: user.email } },
    });
  }
  for (const key of ['6', 'nobody', 'nobody@example.com']) {
    expect(await api.user(key)).toEqual({ kind: 'gone' });
  }
});

test('the group tree is read level by level, and a crowded folder page by page', async () => {
  const childrenOf = async (parentOid: string): Promise<readonly GroupRow[]> => {
    const children: GroupRow[] = [];
    for (let page = await api.groups({ parentOid, limit: 50 }); page.length > 0;) {
      children.push(...page);
      page = await api.groups({ parentOid, start: children.length, limit: 50 });
    }
    return children;
  };
  const found: GroupRow[] = [];
  let level = await api.groups({});
  for (
    ;
    level.length > 0;
    level = (await Promise.all(level.map((row) => childrenOf(row.groupOid ?? '')))).flat()
  ) {
    found.push(...level);
  }
  const expected = sim.shop.groups().map(({ oid, parentOid }) => `${oid} in ${parentOid}`);
  expect(
    found
      .map(({ groupOid, raw }) => `${groupOid} in ${JSON.stringify(isJsonObject(raw) && raw['parent_oid'])}`)
      .toSorted(),
  ).toEqual(expected.toSorted());
  expect(found.length).toBeGreaterThan(100);
});

const REDIRECT = 'https://shop.example/cart?a=1&b=2';

test.each<[string, (user: ReturnType<typeof someUser>) => AuthSubject]>([
  ['/auth/email', (user) => ({ by: 'email', value: user.email })],
  ['/auth/login', (user) => ({ by: 'login', value: user.login })],
  ['/auth/user_id', (user) => ({ by: 'user_id', value: String(user.oid) })],
])('%s gives a link for the user, to a page if one is named', async (path, subjectOf) => {
  const user = someUser();
  const paths: string[] = [];
  const forget = sim.requests.onRequest((request) => void paths.push(request.path));
  const plain = await api.loginLink(subjectOf(user));
  const redirected = await api.loginLink(subjectOf(user), REDIRECT);
  forget();
  expect(paths).toEqual([`/adm/api${path}`, `/adm/api${path}`]);
  expect(plain.actkey).not.toBe(redirected.actkey);
  for (const [link, target] of [
    [plain, '/'],
    [redirected, REDIRECT],
  ] as const) {
    expect(link.login).toBe(user.login);
    expect(Object.fromEntries(new URL(link.link).searchParams)).toEqual({
      login: user.login,
      actkey: link.actkey,
      r: target,
    });
  }
});

test('every request carries the credentials and the content type, and nothing is put into the address', async () => {
  await using shop = await startScriptedShop((response, _index, { url }) => {
    const answers: Readonly<Record<string, string>> = {
      '/adm/api/orders': ONE_ORDER,
      '/adm/api/orders/7': '{"ordercontent":[],"success":1}',
      '/adm/api/groups': '[]',
      '/adm/api/users/a%2Fb%3Fc%23d%20e%40%D1%8F': '{"oid":5}',
      '/adm/api/auth/email': '{"login":"l","actkey":"k","link":"https://shop.example/?actkey=k"}',
    };
    response.end(answers[url]);
  });
  const raw = apiOf({ url: `${shop.url}/` }, { login: 'админ', apiKey: 'ключ:с двоеточием' });
  await raw.listOrders({});
  await raw.orderContent('7');
  await raw.groups({});
  await raw.user('a/b?c#d e@я');
  await raw.loginLink({ by: 'email', value: 'x@example.com' }, REDIRECT);
  expect(shop.received).toHaveLength(5);
  const authorization = `Basic ${Buffer.from('админ:ключ:с двоеточием').toString('base64')}`;
  for (const { headers } of shop.received) {
    expect(headers).toMatchObject({
      authorization,
      'content-type': 'application/json',
      accept: 'application/json',
    });
  }
  const link = JSON.stringify({ email: 'x@example.com', redirect_url: REDIRECT });
  expect(shop.received.map(({ body }) => body)).toEqual(['', '', '', '', link]);
});

test('rows are handed on as they came', async () => {
  const page = await api.listOrders({ limit: 300 });
  const rows = new Map(page.rows.map(({ orderId, raw }) => [orderId, raw]));
  expect(page).toMatchObject({ received: 300, total: 300, malformed: [] });
  for (const order of sim.shop.orders()) {
    const row = rows.get(String(order.orderId));
    expect(row).toMatchObject({ order_id: order.orderId, fio: order.fio, summ: order.sumCents / 100 });
  }
});
