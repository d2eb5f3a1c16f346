/** Answers that a cache kept are told by their age. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { TransientError } from '../../../src/model/errors.ts';
import { AnswerAges } from '../../../src/shop-api/wire/response-age.ts';
import { apiOf, rejection } from '../api-of.ts';
import { ONE_ORDER, startScriptedShop } from '../scripted-shop.ts';

const MINUTE_MS = 60_000;
const dateHeader = (agoMs: number) => new Date(Date.now() - agoMs).toUTCString();
const isUncached = (url: string) => /date_from=\d\d-\d\d-1971/.test(url);

/** A shop whose clock runs so much ahead, behind a cache whose lists are so old, but for what was never asked before. */
const shopBehindCache = (aheadMs: number, listAgeMs: number) =>
  startScriptedShop((response, _index, { url }) => {
    const agoMs = url.startsWith('/adm/api/orders?') && !isUncached(url) ? listAgeMs : 0;
    response.writeHead(200, { Date: dateHeader(agoMs - aheadMs) }).end(ONE_ORDER);
  });

test('requests ask for what is not cached', async () => {
  await using shop = await startScriptedShop((response) => void response.end(ONE_ORDER));
  await apiOf(shop).listOrders({});
  expect(shop.received[0]?.headers['cache-control']).toBe('no-cache');
});

test.each([
  ['1800', '30 minutes'],
  ['61', '2 minutes'],
  ['7080', '118 minutes'],
  ['7200, 5', '2 hours'],
])('a list of Age %s is an error, or is returned with its age', async (age, words) => {
  await using shop = await startScriptedShop(
    (response) => void response.writeHead(200, { Age: age }).end(ONE_ORDER),
  );
  const api = apiOf(shop);
  const sentence = `a cache before the shop answered with a list that is ${words} old (Age: ${parseInt(age, 10)})`;
  const error = await rejection(api.listOrders({ limit: 1 }));
  expect(error).toBeInstanceOf(TransientError);
  expect(error).toMatchObject({ message: `GET /orders: ${sentence}`, scope: 'record' });
  const page = await api.listOrders({ limit: 1 }, undefined, { mayBeOutdated: true });
  expect(page).toMatchObject({ received: 1, outdated: sentence });
  expect(api.counts).toMatchObject({ orders: 2, retries: 0 });
});

test.each(['0', '5', '60', 'soon', ''])('a list of Age %j is of now', async (age) => {
  await using shop = await startScriptedShop(
    (response) => void response.writeHead(200, { Age: age }).end(ONE_ORDER),
  );
  expect(await apiOf(shop).listOrders({ limit: 1 })).not.toHaveProperty('outdated');
  expect(shop.received).toHaveLength(1);
});

test('a list whose Date lies behind the clock of the shop is old, whatever that clock shows', async () => {
  for (const aheadMs of [0, -30 * MINUTE_MS, -3 * 60 * MINUTE_MS]) {
    await using shop = await shopBehindCache(aheadMs, 30 * MINUTE_MS);
    const error = await rejection(apiOf(shop).listOrders({ limit: 1 }));
    expect(error.message).toMatch(/a list that is 3[01] minutes old \(Date: \d{4}-\d\d-\d\dT[\d:.]+Z\)$/);
    expect(shop.received.map(({ url }) => isUncached(url))).toEqual([false, true]);
  }
});

test('a clock of the shop that is wrong costs one request, and makes nothing old', async () => {
  for (const aheadMs of [-30 * MINUTE_MS, 30 * MINUTE_MS, 0]) {
    await using shop = await shopBehindCache(aheadMs, 5_000);
    const api = apiOf(shop);
    for (let asked = 0; asked < 3; asked++) await api.listOrders({ limit: 1 });
    expect(shop.received).toHaveLength(aheadMs < 0 ? 4 : 3);
  }
});

test('a request for the clock of the shop that fails fails one list, and is sent again for the next', async () => {
  await using shop = await startScriptedShop((response, index, { url }) => {
    const date = dateHeader(isUncached(url) ? 0 : 30 * MINUTE_MS);
    response.writeHead(index === 1 ? 401 : 200, { Date: date }).end(ONE_ORDER);
  });
  const api = apiOf(shop);
  expect((await rejection(api.listOrders({ limit: 1 }))).message).toContain('HTTP 401');
  expect((await rejection(api.listOrders({ limit: 1 }))).message).toContain('a list that is');
  expect(shop.received.map(({ url }) => isUncached(url))).toEqual([false, true, false, true]);
});

test('once the clock of the shop was seen, an old list of a clock that runs ahead does not look new', async () => {
  let agoMs = 0;
  await using shop = await startScriptedShop((response, _index, { url }) => {
    const date = dateHeader((isUncached(url) ? 0 : agoMs) - 30 * MINUTE_MS);
    response.writeHead(200, { Date: date }).end(ONE_ORDER);
  });
  const api = apiOf(shop);
  await api.listOrders({ limit: 1 });
  agoMs = 29 * MINUTE_MS;
  expect((await rejection(api.listOrders({ limit: 1 }))).message).toContain('a list that is');
});

test.each<[string, number, string]>([
  ['a content', 200, '{"ordercontent":[{"oid":"1_a"}],"success":1}'],
  ['a content that is not there', 404, '{}'],
  ['another that is not there', 200, '{"success":0}'],
])('%s that a cache kept is an answer to nothing', async (_what, status, body) => {
  await using shop = await startScriptedShop(
    (response) => void response.writeHead(status, { Age: '600' }).end(body),
  );
  const api = apiOf(shop);
  for (const ask of [() => api.orderContent('1'), () => api.orderResponse('1')]) {
    const error = await rejection(ask());
    expect(error).toMatchObject({ scope: 'record' });
    expect(error.message).toBe(
      'GET /orders/ID: a cache before the shop answered with a record that is 10 minutes old (Age: 600)',
    );
  }
});

test('whatever the clock of the shop shows, what is older than a minute is found, and nothing else', async () => {
  const ages = fc.array(fc.integer({ min: 0, max: 7_200 }), { minLength: 1, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: -90_000, max: 90_000 }),
      ages,
      fc.boolean(),
      async (aheadS, ages, hasAge) => {
        let nowMs = Date.parse('2026-03-15T10:00:00Z');
        const signsOf = (ageS: number, isAgeShown: boolean) => ({
          age: isAgeShown ? String(ageS) : null,
          date: new Date(nowMs + (aheadS - ageS) * 1000).toUTCString(),
          at: Temporal.Instant.fromEpochMilliseconds(nowMs),
        });
        const judge = new AnswerAges(async () => signsOf(0, false));
        // The first answer of a shop whose clock runs ahead shows by how much.
        await judge.explain(signsOf(0, hasAge), 'a list');
        for (const ageS of ages) {
          nowMs += 1_000;
          const reason = await judge.explain(signsOf(ageS, hasAge), 'a list');
          expect(reason === undefined, `${ageS}`).toBe(ageS <= 60);
        }
      },
    ),
  );
});

test('a clock that stands still, or none, makes nothing old', async () => {
  let nowMs = Date.parse('2026-03-15T10:00:00Z');
  let measured = 0;
  for (const date of ['Thu, 01 Jan 1970 00:00:00 GMT', 'yesterday', null]) {
    const signs = () => ({ age: null, date, at: Temporal.Instant.fromEpochMilliseconds(nowMs) });
    const judge = new AnswerAges(async () => {
      measured++;
      return signs();
    });
    for (let seconds = 0; seconds < 600; seconds += 7) {
      nowMs += 7_000;
      expect(await judge.explain(signs(), 'a list')).toBeUndefined();
    }
  }
  expect(measured).toBeLessThanOrEqual(10);
});
