/** The life of a hostile shop, as plain data that fast-check can make and shrink. */
import * as fc from 'fast-check';

import type { Dialect } from '../../../src/simulator/api/dialect.ts';

/** How the shop answers from some moment on; what is not named stays as it is. */
export type Turn = {
  readonly dialect: Partial<Dialect>;
  /** Rows of the longest page. @default as before */
  readonly pageCap?: number;
  /** Counts where pages end by bytes. @default as before */
  readonly pageBytes?: number;
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
  /** The process ends at the request of this number. */
  readonly crashAt: number | undefined;
  /** The time budget is over at the request of this number. */
  readonly budgetAt: number | undefined;
};

export type Life = {
  /** Of what is made up on the way: times of orders, changes, chance in answers. */
  readonly seed: number;
  readonly orders: number;
  readonly days: number;
  /** So many more orders in one minute. */
  readonly bunch: number;
  /** So many more orders on one day before the last, and a page that shows few of them. */
  readonly crowd: { readonly orders: number; readonly pageCap: number } | undefined;
  /** Orders without a date, in the future and of long ago. */
  readonly odd: readonly ('undated' | 'zero-date' | 'future' | 'past')[];
  /** Orders whose content the shop refuses to show. */
  readonly refused: number;
  readonly isStartGiven: boolean;
  readonly pageLimit: number;
  readonly maxConcurrency: number;
  readonly birth: Turn;
  readonly chapters: readonly Chapter[];
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

/** One of the values, the plain one as often as all others together. */
function one<Name extends keyof Dialect>(...choices: Choices<Name>): fc.Arbitrary<Dialect[Name]> {
  return plainIn<Name>(5, ...choices);
}

/** In what the answers are wrong or incomplete. */
const LIES = {
  total: one<'total'>('matches', 'all', 'all-string', 'absent', 'page', 'stale', 'random'),
  pages: plainIn<'pages'>(6, 'whole', 'bytes', 'random', 'repeats'),
  dateFrom: one<'dateFrom'>('inclusive', 'exclusive'),
  dateTo: one<'dateTo'>('inclusive', 'exclusive'),
  datePrecision: one<'datePrecision'>('second', 'minute', 'day'),
  dateEnds: plainIn<'dateEnds'>(7, 'any', 'both'),
  falseEmpties: plainIn<'falseEmpties'>(6, 0, 10),
  reach: plainIn<'reach'>(9, 0, 12, 40),
  listOrder: one<'listOrder'>('desc', 'asc', 'id-desc', 'shuffled'),
  unknownOrder: one<'unknownOrder'>('404', '400', 'success-0', 'success-0-message', 'empty-content', 'html'),
};

/** In what form they come. */
const FORMS = {
  orders: one<'orders'>('array', 'object'),
  emptyAnswer: one<'emptyAnswer'>('orders-total', 'array'),
  numbers: one<'numbers'>('number', 'string'),
  digits: one<'digits'>('string', 'number'),
  empty: one<'empty'>('empty-string', 'null', 'absent'),
  content: one<'content'>('top', 'nested'),
  errors: plainIn<'errors'>(8, 'status', '200'),
  gzip: plainIn<'gzip'>(9, false, true),
  bom: plainIn<'bom'>(8, false, true),
  charset: plainIn<'charset'>(8, 'utf-8', 'windows-1251', 'windows-1251-unlabelled'),
  fields: one<'fields'>('php', 'php-characters', 'json', 'decoded'),
};

/** With these the shop cannot be read by days or by pages, and may be refused. */
const OBSTACLES = {
  dateFilter: plainIn<'dateFilter'>(9, 'created', 'ignored', 'updated'),
  start: plainIn<'start'>(9, 'honoured', 'ignored'),
};

const pageCap = fc.oneof(
  // The fewer rows, the more requests a life takes.
  { weight: 1, arbitrary: fc.integer({ min: 2, max: 6 }) },
  { weight: 2, arbitrary: fc.integer({ min: 7, max: 30 }) },
  { weight: 1, arbitrary: fc.constant(500) },
);
const pageBytes = fc.integer({ min: 500, max: 12_000 });

const birth: fc.Arbitrary<Turn> = fc.record({
  dialect: fc.record({ ...LIES, ...FORMS, ...OBSTACLES }),
  pageCap,
  pageBytes,
});

/** In so many of ten cases. */
function sometimes<Value>(ofTen: number, arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 10 - ofTen, arbitrary: fc.constant(undefined) },
    { weight: ofTen, arbitrary },
  );
}

/** Some switches change, and what is longest on a page. */
const turn: fc.Arbitrary<Turn> = fc.record(
  { dialect: fc.record(LIES, { requiredKeys: [] }), pageCap, pageBytes },
  { requiredKeys: ['dialect'] },
);

/** Requests of a sweep: most take few. */
const requestNumber = fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 5, max: 60 }));

const chapter: fc.Arbitrary<Chapter> = fc.record({
  turn: sometimes(6, turn),
  waitMinutes: fc.constantFrom(1, 6, 30, 90, 1500),
  changes: fc.integer({ min: 0, max: 4 }),
  how: fc.constantFrom('sync' as const, 'force' as const),
  drift: fc.constantFrom(0, 0, 0, 10, 100),
  midTurn: sometimes(2, fc.record({ at: requestNumber, turn })),
  crashAt: sometimes(2, requestNumber),
  budgetAt: sometimes(2, requestNumber),
});

/** Of so many pages of two rows, some that are short at random would seem whole by chance, and obstacles end most sweeps. */
const steady = (given: Turn): Turn => ({
  dialect: {
    ...given.dialect,
    pages: 'whole',
    reach: 0,
    datePrecision: 'minute',
    dateFilter: 'created',
    start: 'honoured',
  },
});

/** One of several sweeps that one day takes: it is never verified where too much happens meanwhile. */
const partOfCrowd: fc.Arbitrary<Chapter> = fc.record({
  turn: sometimes(1, turn.map(steady)),
  waitMinutes: fc.constantFrom(1, 6, 30, 90),
  changes: fc.constantFrom(0, 0, 1, 2),
  how: fc.constant('sync' as const),
  drift: fc.constantFrom(0, 0, 0, 0, 0, 2),
  midTurn: sometimes(1, fc.record({ at: requestNumber, turn: turn.map(steady) })),
  crashAt: sometimes(1, requestNumber),
  budgetAt: sometimes(9, fc.integer({ min: 20, max: 80 })),
});

const crowd = fc.record({
  orders: fc.integer({ min: 50, max: 90 }),
  pageCap: fc.integer({ min: 2, max: 3 }),
});

const lifeOf = (own: {
  readonly crowd: fc.Arbitrary<Life['crowd']>;
  readonly birth: fc.Arbitrary<Turn>;
  readonly chapters: fc.Arbitrary<readonly Chapter[]>;
}): fc.Arbitrary<Life> =>
  fc.record({
    ...own,
    seed: fc.nat({ max: 1_000_000 }),
    orders: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 0, max: 10 }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 }) },
    ),
    days: fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 5 }) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 12 }) },
    ),
    bunch: fc.oneof(
      { weight: 4, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 2, max: 25 }) },
    ),
    odd: fc.oneof(
      { weight: 5, arbitrary: fc.constant([]) },
      {
        weight: 1,
        arbitrary: fc.array(fc.constantFrom('undated', 'zero-date', 'future', 'past'), { maxLength: 3 }),
      },
    ),
    refused: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 1, 2),
    isStartGiven: fc.oneof(
      { weight: 3, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: fc.constant(false) },
    ),
    pageLimit: fc.constantFrom(500, 100, 20),
    maxConcurrency: fc.constantFrom(1, 4),
  });

const ordinary = lifeOf({
  crowd: fc.constant(undefined),
  birth,
  chapters: fc.oneof(
    { weight: 3, arbitrary: fc.array(chapter, { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.array(chapter, { minLength: 3, maxLength: 3 }) },
  ),
});
const crowded = lifeOf({
  crowd,
  birth: birth.map(steady),
  chapters: fc.array(partOfCrowd, { minLength: 5, maxLength: 9 }),
});

/** Most are over soon; a day that is larger than a time budget takes more sweeps. */
export const life: fc.Arbitrary<Life> = fc.oneof(
  { weight: 149, arbitrary: ordinary },
  { weight: 1, arbitrary: crowded },
);
