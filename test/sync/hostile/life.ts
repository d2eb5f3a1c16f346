/** The life of a hostile shop, as plain data that fast-check can make and shrink. */
import * as fc from 'fast-check';

import type { RouteName } from '../../../src/simulator/api/request-log.ts';
import type { FaultName } from '../../../src/simulator/api/simulated-faults.ts';
import { aTurn, birth, countLies, type CountLies, type Turn, whole } from './lies.ts';

/** How the process, or what it needs, fails in the middle of a sweep. */
type Mishap =
  /** The process ends at the request of this number, or its time budget does. */
  | { readonly kind: 'crash' | 'budget'; readonly at: number }
  /** The database loses its connection at the end of the transaction of this number. */
  | { readonly kind: 'database'; readonly at: number }
  /** The shop fails at its next requests. */
  | {
      readonly kind: 'fault';
      readonly fault: FaultName;
      readonly count: number;
      readonly route: RouteName | undefined;
    };

export type Chapter = {
  readonly turn: Turn | undefined;
  readonly waitMinutes: number;
  /** Changes of the shop before the sweep begins. */
  readonly changes: number;
  readonly how: 'sync' | 'force';
  /** Of a hundred requests, before how many of them the shop changes. */
  readonly drift: number;
  /** The shop turns in the middle of the sweep, at the request of this number. */
  readonly midTurn: { readonly at: number; readonly turn: Turn } | undefined;
  readonly mishap: Mishap | undefined;
};

export type Life = {
  /** Of what is made up on the way: times of orders, changes, chance in answers. */
  readonly seed: number;
  readonly orders: number;
  readonly days: number;
  /** So many more orders in one minute. */
  readonly bunch: number;
  /** So many more orders on one day before the last. */
  readonly crowd: number;
  /** Orders without a date, in the future and of long ago. */
  readonly odd: readonly ('undated' | 'zero-date' | 'future' | 'past')[];
  /** Orders whose content the shop refuses to show. */
  readonly refused: number;
  readonly isStartGiven: boolean;
  readonly pageLimit: number;
  readonly birth: Turn;
  readonly chapters: readonly Chapter[];
  /** The shop is asked to count its orders, and lies in that. */
  readonly counting: CountLies | undefined;
};

type Uncounted = Omit<Life, 'counting'>;

const FAULTS = [
  'http-500',
  'truncated-json',
  'html-200',
  'empty-200',
  'empty-array',
  'message-200',
  'truncated-list',
] as const;
/** Lists in a row that are cut. */
const MOST_CUT = 4;
const ROUTES = ['orders', 'orders', 'order', undefined] as const;

/** In so many of ten cases. */
function sometimes<Value>(ofTen: number, arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 10 - ofTen, arbitrary: fc.constant(undefined) },
    { weight: ofTen, arbitrary },
  );
}

/** Requests of a sweep: most take few. */
const requestNumber = fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 5, max: 60 }));
const mishap: fc.Arbitrary<Mishap> = fc.oneof(
  fc.record({ kind: fc.constantFrom('crash' as const, 'budget' as const), at: requestNumber }),
  fc.record({ kind: fc.constant('database' as const), at: fc.integer({ min: 1, max: 20 }) }),
  fc
    .record({
      kind: fc.constant('fault' as const),
      fault: fc.constantFrom(...FAULTS),
      count: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 4, max: 12 })),
      route: fc.constantFrom(...ROUTES),
    })
    // Where all answers of a first load are cut alike, nothing shows that a shop of two orders has more than one.
    .map(({ count, ...given }) => ({
      ...given,
      count: given.fault === 'truncated-list' ? Math.min(count, MOST_CUT) : count,
    })),
);
const seed = fc.nat({ max: 1_000_000 });

function some<const Value>(...values: readonly Value[]): fc.Arbitrary<Value> {
  return fc.constantFrom(...values);
}

/** Several pages of each day, which lie and shift while they are read. */
const lying: fc.Arbitrary<Uncounted> = fc.record({
  seed,
  orders: fc.integer({ min: 2, max: 14 }),
  days: fc.integer({ min: 1, max: 3 }),
  bunch: some(0, 0, 0, 6),
  crowd: fc.constant(0),
  odd: fc.oneof(
    { weight: 3, arbitrary: some<Life['odd']>([]) },
    { weight: 1, arbitrary: fc.array(some('undated', 'zero-date', 'future', 'past'), { maxLength: 3 }) },
  ),
  refused: some(0, 0, 0, 1),
  isStartGiven: some(true, true, false),
  pageLimit: some(500, 100, 20),
  birth,
  chapters: fc.array(
    fc.record({
      turn: sometimes(4, aTurn),
      waitMinutes: some(1, 6, 90, 1500),
      changes: fc.integer({ min: 0, max: 4 }),
      how: some('sync', 'force'),
      drift: some(0, 10, 40),
      midTurn: sometimes(2, fc.record({ at: requestNumber, turn: aTurn })),
      mishap: sometimes(3, mishap),
    }),
    { minLength: 1, maxLength: 2 },
  ),
});

/**
 * A shop that is known, and of which a sync reads little: what moves to days that are not due, or is gone, must be found by
 * what is left of it.
 */
const known: fc.Arbitrary<Uncounted> = fc.record({
  seed,
  orders: fc.integer({ min: 6, max: 20 }),
  days: fc.integer({ min: 3, max: 6 }),
  bunch: fc.constant(0),
  crowd: fc.constant(0),
  odd: some<Life['odd']>([], [], ['undated'], ['past']),
  refused: fc.constant(0),
  isStartGiven: fc.boolean(),
  pageLimit: fc.constant(500),
  birth: birth.map(whole),
  chapters: fc
    .array(
      fc.record({
        turn: fc.constant(undefined),
        waitMinutes: some(1, 6, 30, 90),
        changes: fc.integer({ min: 1, max: 5 }),
        how: some('sync', 'sync', 'sync', 'force'),
        drift: some(0, 0, 10),
        midTurn: fc.constant(undefined),
        mishap: sometimes(3, mishap),
      }),
      { minLength: 2, maxLength: 4 },
    )
    .map((later) => [CALM, ...later]),
});

/** The shop is read in peace. */
const CALM: Chapter = {
  turn: undefined,
  waitMinutes: 1,
  changes: 0,
  how: 'sync',
  drift: 0,
  midTurn: undefined,
  mishap: undefined,
};

/** A day of many windows, while the time budget ends: orders move between its windows, and between sweeps. */
const parted: fc.Arbitrary<Uncounted> = fc.record({
  seed,
  orders: fc.integer({ min: 0, max: 3 }),
  days: some(1, 2),
  bunch: fc.constant(0),
  crowd: fc.integer({ min: 50, max: 54 }),
  odd: fc.constant([]),
  refused: fc.constant(0),
  isStartGiven: fc.constant(true),
  pageLimit: fc.constant(500),
  birth: birth.map(whole),
  chapters: fc
    .array(
      fc.record({
        turn: fc.constant(undefined),
        waitMinutes: some(1, 6),
        changes: some(0, 1, 1, 2),
        how: fc.constant('sync' as const),
        drift: some(0, 0, 0, 5),
        midTurn: fc.constant(undefined),
        mishap: fc.record({ kind: fc.constant('budget' as const), at: fc.integer({ min: 20, max: 50 }) }),
      }),
      { minLength: 2, maxLength: 3 },
    )
    .map((later) =>
      [CALM, ...later, CALM].map((chapter, at) => (at === 1 ? { ...chapter, turn: SMALL } : chapter)),
    ),
});

const SMALL: Turn = { dialect: {}, pageCap: 2 };

const uncounted = fc.oneof(
  { weight: 5, arbitrary: lying },
  { weight: 4, arbitrary: known },
  { weight: 2, arbitrary: parted },
);

const HOW_OFTEN = Number(process.env['HOSTILE_COUNTS'] ?? 4);

/** `HOSTILE_COUNTS`: in so many of ten lives the shop is asked to count. */
export const life: fc.Arbitrary<Life> = fc
  .tuple(uncounted, sometimes(HOW_OFTEN, countLies))
  .map(([given, counting]) => ({ ...given, counting }));
