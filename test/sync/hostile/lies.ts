/** In what the answers of a hostile shop are wrong or incomplete. */
import * as fc from 'fast-check';

import type { Dialect } from '../../../src/simulator/shop/dialect.ts';

/** How the shop answers from some moment on; what is not named stays as it is. */
export type Turn = {
  readonly dialect: Partial<Dialect>;
  /** Rows of the longest page. @default as before */
  readonly pageCap?: number;
  /** Counts where pages end by bytes. @default as before */
  readonly pageBytes?: number;
};

type Choices<Name extends keyof Dialect> = readonly [Dialect[Name], ...Dialect[Name][]];

/** One of the values, the plain one in so many of ten lives; a failing life is shrunk to plain ones. */
function plainIn<Name extends keyof Dialect>(
  ofTen: number,
  ...[plain, ...others]: Choices<Name>
): fc.Arbitrary<Dialect[Name]> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: ofTen, arbitrary: fc.constant(plain) },
    { weight: 10 - ofTen, arbitrary: fc.constantFrom(...others) },
  );
}

const LIES = {
  total: plainIn<'total'>(4, 'matches', 'all', 'absent', 'page', 'stale', 'random'),
  pages: plainIn<'pages'>(6, 'whole', 'bytes', 'random', 'repeats'),
  dateFrom: plainIn<'dateFrom'>(5, 'inclusive', 'exclusive'),
  dateTo: plainIn<'dateTo'>(5, 'inclusive', 'exclusive'),
  datePrecision: plainIn<'datePrecision'>(5, 'second', 'minute', 'day'),
  dateEnds: plainIn<'dateEnds'>(8, 'any', 'both'),
  falseEmpties: plainIn<'falseEmpties'>(5, 0, 10),
  reach: plainIn<'reach'>(9, 0, 12, 40),
  listOrder: plainIn<'listOrder'>(6, 'desc', 'asc', 'id-desc', 'shuffled'),
  unknownOrder: plainIn<'unknownOrder'>(4, '404', 'success-0', 'success-0-message', 'empty-content', 'html'),
};

/** With these the shop cannot be read by days or by pages, and may be refused. */
const OBSTACLES = {
  orders: plainIn<'orders'>(7, 'array', 'object'),
  emptyAnswer: plainIn<'emptyAnswer'>(5, 'orders-total', 'array'),
  dateFilter: plainIn<'dateFilter'>(9, 'created', 'ignored', 'updated'),
  start: plainIn<'start'>(9, 'honoured', 'ignored'),
};

/** What is wrong with what the shop counts, besides its total. */
export type CountLies = Pick<Dialect, 'filters' | 'emptyStatus'> & {
  /** A cache answers what was counted before. */
  readonly isCached: boolean;
};

export const countLies: fc.Arbitrary<CountLies> = fc.record({
  filters: plainIn<'filters'>(5, 'obeyed', 'ignored', 'instead-of-dates'),
  emptyStatus: plainIn<'emptyStatus'>(5, 'obeyed', 'ignored'),
  isCached: fc.constantFrom(false, false, false, true),
});

/** The fewer rows, the more pages a few orders take. */
const pageCap = fc.constantFrom(2, 3, 4, 5, 8, 500);
const pageBytes = fc.integer({ min: 500, max: 6_000 });

export const birth: fc.Arbitrary<Turn> = fc.record({
  dialect: fc.record({ ...LIES, ...OBSTACLES }),
  pageCap,
  pageBytes,
});

/** Some switches change, and what is longest on a page. */
export const aTurn: fc.Arbitrary<Turn> = fc.record(
  { dialect: fc.record(LIES, { requiredKeys: [] }), pageCap, pageBytes },
  { requiredKeys: ['dialect'] },
);

/** Of so many pages of two rows, some that are short at random would seem whole by chance, and obstacles end most sweeps. */
const steady = (given: Turn): Turn => ({
  dialect: {
    ...given.dialect,
    pages: 'whole',
    reach: 0,
    falseEmpties: 0,
    datePrecision: 'minute',
    dateFilter: 'created',
    start: 'honoured',
  },
});

/** A shop that answers everything at once. */
export const whole = (given: Turn): Turn => ({ ...steady(given), pageCap: 500 });
