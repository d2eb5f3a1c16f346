/** The shops that the model runs against: every combination of what the API leaves open in how it lists orders. */
import type { Dialect } from '../../../src/simulator/api/dialect.ts';

export type Shape = {
  readonly dialect: Partial<Dialect>;
  readonly pageCap: number | undefined;
};

const LIST_ORDERS = ['desc', 'asc', 'id-desc', 'shuffled'] as const;
const PAGE_CAPS = [undefined, 7, 50] as const;
const TOTALS = ['matches', 'all', 'absent'] as const;
const DATE_TOS = ['inclusive', 'exclusive'] as const;
const UNKNOWN_ORDERS = ['404', 'success-0'] as const;

/** All 144 of them. */
export const SHAPES: readonly Shape[] = LIST_ORDERS.flatMap((listOrder) =>
  PAGE_CAPS.flatMap((pageCap) =>
    TOTALS.flatMap((total) =>
      DATE_TOS.flatMap((dateTo) =>
        UNKNOWN_ORDERS.map((unknownOrder) => {
          const ids = listOrder === 'id-desc' ? ('shuffled' as const) : ('by-date' as const);
          return { dialect: { listOrder, total, dateTo, unknownOrder, ids }, pageCap };
        }),
      ),
    ),
  ),
);
