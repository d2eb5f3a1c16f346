/** What happens to a shop and its sweeps in a run of the model, as plain data that fast-check can make and shrink. */
import * as fc from 'fast-check';

import type { FaultName } from '../../../src/simulator/api/simulated-faults.ts';
import type { RouteName } from '../../../src/simulator/api/request-log.ts';

/** `pick` chooses one of the orders there are; `secondsBack` counts from the shop's present. */
export type Change =
  | { readonly kind: 'insert'; readonly secondsBack: number }
  | { readonly kind: 'insert into the minute of another'; readonly pick: number; readonly count: number }
  | { readonly kind: 'edit'; readonly pick: number }
  | { readonly kind: 'delete'; readonly pick: number }
  | { readonly kind: 'move'; readonly pick: number; readonly secondsBack: number }
  | { readonly kind: 'view'; readonly pick: number };

type Crash = {
  readonly by: 'abort' | 'database';
  /** The request, or the transaction, at which it happens. */
  readonly at: number;
};

export type Command =
  | Change
  | { readonly kind: 'wait'; readonly minutes: number }
  | {
      readonly kind: 'fail';
      readonly fault: FaultName;
      readonly count: number;
      readonly route: RouteName | undefined;
    }
  | {
      readonly kind: 'sweep';
      readonly how: 'sync' | 'backfill' | 'force';
      readonly crash: Crash | undefined;
      /** Changes while it runs, each before the answer to a request. */
      readonly meanwhile: readonly { readonly at: number; readonly change: Change }[];
    };

export type Scenario = {
  readonly seed: number;
  readonly orders: number;
  readonly days: number;
  readonly pageLimit: number;
  readonly hasGroups: boolean;
  /** The first day to hold is given, and need not be looked for. */
  readonly isStartGiven: boolean;
  readonly commands: readonly Command[];
};

const FAULTS = [
  'http-500',
  'reset',
  'truncated-json',
  'html-200',
  'empty-200',
  'empty-array',
  'message-200',
  'truncated-list',
] as const;
const ROUTES = ['orders', 'orders', 'order', 'users', 'groups', undefined] as const;
const DAY_S = 86_400;

/** All waits together are less than the day after which an order is believed gone that no list returns. */
const MAX_WAIT = 95;

const pick = fc.nat({ max: 1000 });
/** Up to two days before the first order. */
const secondsBack = fc.oneof(fc.constant(0), fc.nat({ max: 8 * DAY_S }));

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), secondsBack }),
  fc.record({
    kind: fc.constant('insert into the minute of another' as const),
    pick,
    count: fc.integer({ min: 1, max: 12 }),
  }),
  fc.record({ kind: fc.constant('edit' as const), pick }),
  fc.record({ kind: fc.constant('delete' as const), pick }),
  fc.record({ kind: fc.constant('move' as const), pick, secondsBack }),
  fc.record({ kind: fc.constant('view' as const), pick }),
);

const crash: fc.Arbitrary<Crash> = fc.record({
  by: fc.constantFrom('abort' as const, 'database' as const),
  at: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 13, max: 90 })),
});

const sweep: fc.Arbitrary<Command> = fc.record({
  kind: fc.constant('sweep' as const),
  how: fc.constantFrom('sync' as const, 'backfill' as const, 'force' as const, 'force' as const),
  crash: fc.option(crash, { nil: undefined, freq: 2 }),
  meanwhile: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc.array(fc.record({ at: fc.integer({ min: 1, max: 30 }), change }), {
        minLength: 1,
        maxLength: 3,
      }),
    },
  ),
});

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 5, arbitrary: change },
  { weight: 4, arbitrary: sweep },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fail' as const),
      fault: fc.constantFrom(...FAULTS),
      count: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 4, max: 12 })),
      route: fc.constantFrom(...ROUTES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      minutes: fc.integer({ min: 1, max: MAX_WAIT }),
    }),
  },
);

/**
 * Small shops, in which some minutes hold several orders. Fewer orders go than would look like a fault of the shop:
 * then nothing would be marked.
 */
export const scenario: fc.Arbitrary<Scenario> = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  orders: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 20, max: 40 }) },
    { weight: 1, arbitrary: fc.integer({ min: 41, max: 120 }) },
  ),
  days: fc.integer({ min: 1, max: 6 }),
  pageLimit: fc.constantFrom(20, 50, 100, 500),
  hasGroups: fc.nat({ max: 9 }).map((number) => number === 9),
  isStartGiven: fc.boolean(),
  commands: fc.array(command, { minLength: 2, maxLength: 14 }),
});
