import { expect, test } from 'vitest';

import type { JsonValue } from '../../../src/model/json.ts';
import { TerminalError, TransientError, UnavailableError } from '../../../src/model/errors.ts';
import { classifyAnswer } from '../../../src/shop-api/wire/response-kind.ts';
import { answerOf } from '../../shop-api/answer-of.ts';
import type { RecordResponse } from '../../../src/shop-api/endpoints/get-record.ts';
import type { OrderContent } from '../../../src/shop-api/endpoints/order-content.ts';
import { createQuestions, type ImpossibleIds, type QuestionPorts } from '../../../src/sync/ask/questions.ts';

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

const contentOf = (lines: readonly JsonValue[]): OrderContent => ({
  kind: 'found',
  lines,
  raw: { ordercontent: lines },
});

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
      return { kind: classifyAnswer(answerOf(status, text), orderId), found: lines && contentOf(lines) };
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
  expect(await Promise.all(ids.map((id) => questions.presence(id, signal)))).toEqual([
    'gone',
    'gone',
    'served',
    'gone',
  ]);
  expect(asked.toSorted()).toEqual([IDS.order, 'list', '1', ...ids].toSorted());
});

test.each<[string, Shop, string, readonly string[]]>([
  ['404 beside a content', { says: live(NO_ORDER) }, 'gone', ['list', '1']],
  ['404 for every content', { says: () => NO_ORDER }, 'unknown', ['list', '1']],
  [
    '404 beside contents that fail otherwise',
    { says: (id) => (id === '1' ? CRASH : NO_ORDER) },
    'unknown',
    ['list', '1'],
  ],
  ['a page of HTML beside a content', { says: live(HTML) }, 'gone', ['list', '1', IDS.order]],
  [
    'a page of HTML for a moment',
    { says: (id, time) => (id === '1' ? LIVE : id === IDS.order && time > 1 ? NO_ORDER : HTML) },
    'unknown',
    ['list', '1', IDS.order],
  ],
  ['a page of HTML for every content', { says: () => HTML }, 'unknown', ['list', '1']],
  [
    'a page of HTML for everything',
    { says: () => HTML, lists: new TransientError('HTML') },
    'unknown',
    ['list'],
  ],
  ['403 beside a content', { says: live(FORBIDDEN) }, 'gone', ['list', '1', IDS.order]],
  ['403 for every content', { says: () => FORBIDDEN }, 'unknown', ['list', '1']],
  [
    '403 beside a second content',
    { says: (id) => (id === '2' ? LIVE : FORBIDDEN), lists: ['1', '2'] },
    'gone',
    ['list', '1', '2', IDS.order],
  ],
  ['500 beside a content', { says: live(CRASH) }, 'gone', ['list', '1', IDS.order]],
  [
    '500 for a moment',
    { says: (id, time) => (id === '1' ? LIVE : id === IDS.order && time > 1 ? NO_ORDER : CRASH) },
    'unknown',
    ['list', '1', IDS.order],
  ],
  [
    '500, and then no answer',
    {
      says: (id, time) =>
        id === '1' ? LIVE : id === IDS.order && time > 1 ? new TransientError('reset') : CRASH,
    },
    'unknown',
    ['list', '1', IDS.order],
  ],
  ['500 of a shop without orders', { says: () => CRASH, lists: [] }, 'unknown', ['list', 'list', 'list']],
  ['an empty content, which is the word', { says: live(EMPTY) }, 'gone', ['list', '1']],
  ['an empty content for everything', { says: () => EMPTY }, 'unknown', ['list', '1']],
  [
    'an empty content, which is not the word',
    { says: (id) => (id === '7' ? EMPTY : NO_ORDER) },
    'served',
    [],
  ],
  ['403 for this order alone', { says: (id) => (id === '7' ? FORBIDDEN : NO_ORDER) }, 'unknown', []],
  ['500 for this order alone', { says: (id) => (id === '7' ? CRASH : NO_ORDER) }, 'unknown', []],
  [
    'no answer for this order',
    { says: (id) => (id === '7' ? new TransientError('reset') : NO_ORDER) },
    'unknown',
    [],
  ],
])('%s', async (_what, shop, presence, controls) => {
  const { asked, questions } = questionsTo(shop);
  expect(await questions.presence('7', signal)).toBe(presence);
  expect(asked).toEqual([IDS.order, '7', ...controls]);
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
