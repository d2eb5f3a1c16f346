/** What the shop is asked about a record, and what its answers mean. */
import { expect, test, vi } from 'vitest';

import { ShapeError, TerminalError, TransientError, UnavailableError } from '../../../src/model/errors.ts';
import type { JsonValue } from '../../../src/model/json.ts';
import type { RecordResponse } from '../../../src/shop-api/endpoints/get-record.ts';
import type { OrderContent } from '../../../src/shop-api/endpoints/order-content.ts';
import { classifyAnswer } from '../../../src/shop-api/wire/response-kind.ts';
import {
  createQuestions,
  impossibleId,
  type ImpossibleIds,
  type QuestionPorts,
} from '../../../src/sync/ask/questions.ts';
import { attempt, faultText, once } from '../../../src/sync/ask/record-faults.ts';
import { answerOf } from '../../shop-api/answer-of.ts';

const IDS: ImpossibleIds = { order: '2147483647', user: '2147483647' };
const { signal } = new AbortController();

/** The lines of a content; none where the answer is no content. */
type Said = readonly [status: number, text: string, lines?: readonly JsonValue[]];
const LIVE: Said = [200, '{"ordercontent":[{"oid":"1_a"}],"success":1}', [{}]];
const EMPTY: Said = [200, '{"ordercontent":[],"success":1}', []];
const NO_ORDER: Said = [404, '{"message":"no such order"}'];
const FORBIDDEN: Said = [403, '{"message":"no"}'];
const CRASH: Said = [500, '{"error":"x"}'];
const HTML: Said = [200, '<title>Shop</title>'];

type Shop = {
  /** What is answered for an order, by how often it was asked for. */
  readonly says: (orderId: string, time: number) => Said | Error;
  readonly lists?: readonly string[] | Error;
};

function questionsTo({ says, lists = ['1'] }: Shop) {
  const asked: string[] = [];
  const api = {
    async orderResponse(orderId: string): Promise<RecordResponse<OrderContent>> {
      asked.push(orderId);
      const said = says(orderId, asked.filter((id) => id === orderId).length);
      if (said instanceof Error) throw said;
      const [status, text, lines] = said;
      return {
        kind: classifyAnswer(answerOf(status, text), orderId),
        found: lines && { kind: 'found', lines, raw: { ordercontent: lines } },
      };
    },
    async listOrders() {
      asked.push('list');
      if (lists instanceof Error) throw lists;
      const rows = lists.map((orderId) => ({ orderId, raw: {} }));
      return {
        rows,
        malformed: [],
        received: rows.length,
        keys: [...lists],
        isKeyed: false,
        total: undefined,
      };
    },
    user: async () => ({ kind: 'gone' }) as const,
    userResponse: async () => ({ kind: classifyAnswer(answerOf(404, '{}'), '1'), found: undefined }),
  } satisfies QuestionPorts['api'];
  return {
    asked,
    questions: createQuestions(api, { ids: async () => IDS, knownUsers: async () => [] }),
  };
}

const live = (said: Said) => (orderId: string) => (orderId === '1' ? LIVE : said);

test('an impossible and a listed order are requested once in a run, however many orders are checked', async () => {
  const { asked, questions } = questionsTo({ says: (id) => (id === '3' ? LIVE : live(NO_ORDER)(id)) });
  const ids = ['7', '8', '3', '9'];
  const found = await Promise.all(ids.map((id) => questions.presence(id, signal)));
  expect(found).toEqual(['gone', 'gone', 'served', 'gone']);
  expect(asked.toSorted()).toEqual([IDS.order, 'list', '1', ...ids].toSorted());
});

const all = (said: Said) => () => said;
/** Of order 7 alone. */
const seven = (said: Said | Error) => (orderId: string) => (orderId === '7' ? said : NO_ORDER);
/** Of what cannot be, when it is asked for again. */
const later = (first: Said, then: Said | Error) => (orderId: string, time: number) =>
  orderId === '1' ? LIVE : orderId === IDS.order && time > 1 ? then : first;
const away = new TransientError('reset');

test.each<[string, string, string, Shop['says'], Shop['lists']?]>([
  ['404 beside a content', 'gone', 'list 1', live(NO_ORDER)],
  ['404 for every content', 'unknown', 'list 1', all(NO_ORDER)],
  ['404 beside contents that fail otherwise', 'unknown', 'list 1', (id) => (id === '1' ? CRASH : NO_ORDER)],
  ['a page of HTML beside a content', 'gone', 'list 1 none', live(HTML)],
  ['a page of HTML for a moment', 'unknown', 'list 1 none', later(HTML, NO_ORDER)],
  ['a page of HTML for every content', 'unknown', 'list 1', all(HTML)],
  ['a page of HTML for everything', 'unknown', 'list', all(HTML), away],
  ['403 beside a content', 'gone', 'list 1 none', live(FORBIDDEN)],
  ['403 for every content', 'unknown', 'list 1', all(FORBIDDEN)],
  [
    '403 beside a second content',
    'gone',
    'list 1 2 none',
    (id) => (id === '2' ? LIVE : FORBIDDEN),
    ['1', '2'],
  ],
  ['500 beside a content', 'gone', 'list 1 none', live(CRASH)],
  ['500 for a moment', 'unknown', 'list 1 none', later(CRASH, NO_ORDER)],
  ['500, and then no answer', 'unknown', 'list 1 none', later(CRASH, away)],
  ['500 of a shop without orders', 'unknown', 'list list list', all(CRASH), []],
  ['an empty content, which is the word', 'gone', 'list 1', live(EMPTY)],
  ['an empty content for everything', 'unknown', 'list 1', all(EMPTY)],
  ['an empty content, which is not the word', 'served', '', seven(EMPTY)],
  ['403 for this order alone', 'unknown', '', seven(FORBIDDEN)],
  ['500 for this order alone', 'unknown', '', seven(CRASH)],
  ['no answer for this order', 'unknown', '', seven(away)],
])('an order that is answered with %s is %s', async (_what, presence, controls, says, lists) => {
  const { asked, questions } = questionsTo({ says, ...(lists && { lists }) });
  expect(await questions.presence('7', signal)).toBe(presence);
  const others = controls.split(' ').filter((id) => id !== '');
  expect(asked).toEqual([IDS.order, '7', ...others.map((id) => (id === 'none' ? IDS.order : id))]);
});

test('a content received in this run proves that contents are served, without another request', async () => {
  const { asked, questions } = questionsTo({ says: live(NO_ORDER), lists: new TransientError('HTML') });
  questions.recordContent();
  expect(await questions.presence('7', signal)).toBe('gone');
  expect(asked).toEqual([IDS.order, '7']);
});

test('a shop that serves impossible orders is not asked about missing ones', async () => {
  const { asked, questions } = questionsTo({ says: () => LIVE });
  expect(await questions.presence('7', signal)).toBe('unknown');
  expect(await questions.presence('8', signal)).toBe('unknown');
  expect(asked).toEqual([IDS.order]);
});

test('a shop that is unavailable, or refuses everything, ends the run', async () => {
  for (const error of [
    new UnavailableError('away'),
    new TerminalError('no', { status: 401, scope: 'shop' }),
  ]) {
    const { questions } = questionsTo({ says: () => error });
    await expect(questions.presence('7', signal)).rejects.toBe(error);
    // A failure is not kept: the next sweep of a long-lived client asks anew.
    await expect(questions.presence('7', signal)).rejects.toBe(error);
  }
});

test.each([
  [0n, '2147483647'],
  [100_234n, '2147483647'],
  // At least twice as large.
  [2n ** 30n - 2n, '2147483647'],
  [2n ** 30n - 1n, '999999999999999'],
  [2n ** 30n, '999999999999999'],
  [2n ** 50n, '9223372036854775807'],
  [2n ** 63n - 1n, '9223372036854775807'],
])('where the largest is %s, %s cannot be', (largest, id) => {
  expect(impossibleId(largest)).toBe(id);
});

test('a fault of one record counts as no answer; a fault of the shop, or an abort, is thrown', async () => {
  expect(await attempt(Promise.resolve(7), signal)).toBe(7);
  const ofRecord = [new TransientError('HTTP 500'), new TerminalError('HTTP 404'), new ShapeError('no list')];
  for (const fault of ofRecord)
    expect(await attempt(Promise.reject(fault), signal), String(fault)).toBeUndefined();
  const ofMore = [
    new TerminalError('HTTP 401', { scope: 'shop' }),
    new UnavailableError('it is down'),
    new RangeError('a fault of the program'),
  ];
  for (const fault of ofMore) await expect(attempt(Promise.reject(fault), signal)).rejects.toBe(fault);
  const stopped = AbortSignal.abort(new Error('asked to stop'));
  await expect(attempt(Promise.reject(new TransientError('cut')), stopped)).rejects.toThrow('asked to stop');
});

test('a refusal is reported as such, and any other fault by its own message', () => {
  expect(faultText(new TerminalError('no', { status: 403 }), 'order 7')).toBe(
    'the shop refuses order 7 (HTTP 403)',
  );
  expect(faultText(new TransientError('HTTP 500', { status: 500 }), 'order 7')).toBe('HTTP 500');
});

test('concurrent callers share one request, which is repeated only after a failure', async () => {
  const ask = vi.fn(async () => Promise.resolve(7));
  ask.mockRejectedValueOnce(new Error('down'));
  const shared = once(ask);
  const failed = await Promise.allSettled([shared(signal), shared(signal)]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(ask).toHaveBeenCalledTimes(1);
  expect([await shared(signal), await shared(signal)]).toEqual([7, 7]);
  expect(ask.mock.calls).toEqual([[signal], [signal]]);
});
