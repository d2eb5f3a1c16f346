/** What is taken for evidence that a list lacks rows, and what is learned of the shop by that. */
import { describe, expect, test } from 'vitest';

import { TransientError } from '../../../src/model/errors.ts';
import { type OrdersPage, type OrdersQuery, rowKey } from '../../../src/shop-api/endpoints/list-orders.ts';
import { type Dates, FARTHEST, NO_ORDERS } from '../../../src/shop-api/paging/asked-dates.ts';
import { explainHidden, readToEnds } from '../../../src/shop-api/paging/confirm-ends.ts';
import { type FakeOrder, FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { knownAt, local, pagingDeps } from './read-one.ts';

type Answer = Partial<Pick<OrdersPage, 'received' | 'total'>>;
/** What is answered instead of the shop's own page; undefined: that. */
type Script = (query: OrdersQuery, page: OrdersPage) => OrdersPage | undefined;

const at = (...times: readonly string[]): readonly FakeOrder[] =>
  times.map((time, index) => ({ id: index + 1, created: secondsOf(time) }));
const FIVE = at(
  '2026-03-05T08:00',
  '2026-03-06T08:00',
  '2026-03-07T08:00',
  '2026-03-08T08:00',
  '2026-03-09T08:00',
);
const ALL: Dates = { from: local('2026-03-01T00:00'), to: undefined };

const NONE: OrdersPage = { rows: [], malformed: [], received: 0, keys: [], isKeyed: false, total: 0 };

function scripted(orders: readonly FakeOrder[], traits: FakeTraits, script: Script) {
  const shop = new FakeShop(orders, traits);
  const queries: OrdersQuery[] = [];
  const listOrders = async (query: OrdersQuery) => {
    queries.push(query);
    const page = await shop.listOrders(query);
    return script(query, page) ?? page;
  };
  return { queries, deps: pagingDeps({ listOrders }) };
}

const isNone = ({ dateFrom, dateTo }: OrdersQuery) =>
  String(dateFrom) === String(NO_ORDERS.from) && String(dateTo) === String(NO_ORDERS.to);
const isNarrow = (query: OrdersQuery) => !isNone(query) && daysOf(query) <= 4;

function daysOf({ dateFrom, dateTo }: OrdersQuery): number {
  if (dateFrom === undefined || dateTo === undefined) return Number.POSITIVE_INFINITY;
  return Math.round(dateFrom.until(dateTo).total('days'));
}

describe('a total of nine beside five rows', () => {
  /** Whether the list is taken for a cut one, and by how many requests about other dates. */
  async function judge(narrow: Answer, none: Answer, orders = FIVE, known = knownAt(), dates = ALL) {
    const { deps, queries } = scripted(orders, { sort: 'shuffled' }, (query, page) => {
      if (isNone(query)) return { ...NONE, ...none };
      if (!isNarrow(query)) return { ...page, total: page.received === orders.length ? 9 : page.received };
      return narrow.received === 0 ? { ...NONE, ...narrow } : { ...page, ...narrow };
    });
    const { verdict } = await readToEnds({ ...deps, known, confirmsEnds: true }, dates, 9);
    return { verdict, narrow: queries.filter(isNarrow), others: queries.filter(isNone).length };
  }
  const says = async (...given: Parameters<typeof judge>) => (await judge(...given)).verdict;
  const ALWAYS = { total: 9 };

  test('counts what matches, where fewer dates have a total of as many as come, or of many less', async () => {
    expect(await judge({ total: 1 }, ALWAYS)).toMatchObject({
      verdict: 'cut',
      // Around the newest row.
      narrow: [{ dateFrom: local('2026-03-09T07:59'), dateTo: local('2026-03-09T08:01') }],
      others: 0,
    });
    expect(await says({ total: 5 }, ALWAYS)).toBe('cut');
    expect(await says({ total: 6 }, ALWAYS), 'three orders may have gone').toBe('complete');
    expect(await says({ total: 9 }, ALWAYS)).toBe('complete');
    expect(await says({ total: 12 }, ALWAYS)).toBe('complete');
  });

  test('counts what matches, where that of dates without orders is none', async () => {
    expect(await says({ total: 9 }, { total: 0 })).toBe('cut');
    expect(await says({ total: 9 }, { total: 0, received: 1 })).toBe('complete');
    expect(await says({ total: 9 }, { total: undefined })).toBe('complete');
  });

  test('is held against four answers, by wider dates, until one has rows and a total', async () => {
    for (const answer of [{ total: undefined }, { received: 0, total: 0 }]) {
      const { narrow, others, verdict } = await judge(answer, ALWAYS);
      expect(narrow.map(daysOf)).toEqual([0, 0, 4, 4]);
      expect([others, verdict]).toEqual([1, 'complete']);
    }
  });

  test('is asked about at the next known order where all rows are of one minute, and not without one', async () => {
    const minute = at('2026-03-05T08:00', '2026-03-05T08:00');
    const open = { from: undefined, to: local('2026-03-20T00:00') };
    const next = await judge({ total: 1, received: 1 }, ALWAYS, minute, knownAt('2026-03-06T10:00'), open);
    expect(next).toMatchObject({ verdict: 'cut', narrow: [{ dateFrom: local('2026-03-06T09:59') }] });
    const alone = await judge({ total: 1 }, { total: 0 }, minute, knownAt(), open);
    expect(alone).toMatchObject({ verdict: 'complete', others: 0 });
  });
});

describe('why rows are hidden', () => {
  const CLOSED = { dateFrom: FARTHEST.from, dateTo: FARTHEST.to };
  async function explain(dates: Dates, script: Script) {
    const { deps, queries } = scripted(FIVE, { sort: 'desc' }, script);
    deps.book.farthest = FARTHEST;
    return { why: await explainHidden(deps, dates, 3), profile: deps.book.profile, queries };
  }
  const emptyBeyond: Script = ({ start = 0 }) => (start >= 3 ? NONE : undefined);
  const both = { from: ALL.from, to: local('2026-03-20T00:00') };

  test('they came while the list was read, where there are rows beyond its end now', async () => {
    const { why, profile, queries } = await explain(ALL, () => undefined);
    expect([why, profile.endsAt, queries.map(({ start }) => start)]).toEqual(['shifted', undefined, [3]]);
  });

  test('a list with both dates ends at a position', async () => {
    const { profile, queries, why } = await explain(both, emptyBeyond);
    expect([why, queries.length]).toEqual(['cut', 1]);
    expect(profile).toMatchObject({ endsAt: 3, isUndatedPartial: false, wantsBothDates: false });
  });

  test('one that leaves a date open is asked for once more with both, from its last row on', async () => {
    for (const dates of [ALL, { from: undefined, to: both.to }, { from: undefined, to: undefined }]) {
      const { profile, queries } = await explain(dates, ({ start, dateFrom, dateTo }, page) => {
        if (start === 3) return NONE;
        expect([start, dateFrom, dateTo]).toEqual([
          2,
          dates.from ?? CLOSED.dateFrom,
          dates.to ?? CLOSED.dateTo,
        ]);
        return { ...page, rows: page.rows.slice(0, 1), keys: page.keys.slice(0, 1), received: 1 };
      });
      expect(queries).toHaveLength(2);
      expect(profile).toMatchObject({ endsAt: 3, isUndatedPartial: false, wantsBothDates: false });
    }
  });

  test('where more comes by that, the list without dates is that of the last few days', async () => {
    const { profile } = await explain({ from: undefined, to: undefined }, ({ start }) =>
      start === 3 ? NONE : undefined,
    );
    expect(profile).toMatchObject({ endsAt: undefined, isUndatedPartial: true, wantsBothDates: false });
  });

  test('where nothing comes by that, the shop ignores a single date; of no date at all that says nothing', async () => {
    const empty: Script = () => NONE;
    const single = [ALL, { from: undefined, to: both.to }];
    for (const dates of single)
      expect((await explain(dates, empty)).profile).toMatchObject({
        endsAt: undefined,
        wantsBothDates: true,
      });
    const { profile } = await explain({ from: undefined, to: undefined }, empty);
    expect(profile).toMatchObject({ endsAt: 3, wantsBothDates: false });
  });
});

describe('an ascending list without a beginning', () => {
  const UP_TO: Dates = { from: undefined, to: local('2026-03-20T00:00') };
  const isClosed = ({ dateFrom, start = 0, dateTo }: OrdersQuery) =>
    dateFrom?.equals(FARTHEST.from) === true &&
    UP_TO.to !== undefined &&
    dateTo?.equals(UP_TO.to) === true &&
    start > 0;
  /** What becomes of it, by the answer from its last row on with both dates. */
  async function verdictBy(script: Script) {
    const { deps, queries } = scripted(FIVE, { sort: 'asc' }, (query, page) =>
      isClosed(query) ? script(query, page) : undefined,
    );
    deps.book.farthest = FARTHEST;
    const { verdict } = await readToEnds({ ...deps, known: knownAt(), confirmsEnds: true }, UP_TO, 9);
    return { verdict, asked: queries.filter(isClosed).map(({ start }) => start) };
  }

  test('is whole where its last row alone comes with both dates', async () => {
    expect(await verdictBy(() => undefined)).toMatchObject({ verdict: 'complete', asked: [4] });
  });

  test('is longer where more comes, or another row, were it one of its own', async () => {
    const more = await verdictBy((_, page) => ({ ...page, received: 2, keys: [...page.keys, 'another'] }));
    expect(more.verdict).not.toBe('complete');
    const other = await verdictBy((_, page) => ({ ...page, keys: ['another'] }));
    expect(other.verdict).not.toBe('complete');
    const { rows } = await new FakeShop(FIVE, { sort: 'asc' }).listOrders({});
    const [first] = rows;
    if (first === undefined) throw new Error('a row');
    const own = await verdictBy((_, page) => ({ ...page, rows: [first], keys: [rowKey(first)] }));
    expect(own.verdict).not.toBe('complete');
    const none = await verdictBy(() => NONE);
    expect(none.verdict).not.toBe('complete');
  });

  test('is what it seems where the shop fails at that', async () => {
    const failing = await verdictBy(() => {
      throw new TransientError('the shop answered HTTP 500');
    });
    expect(failing.verdict).toBe('complete');
  });
});
