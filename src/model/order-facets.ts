/** Parts of a shop's orders that its documented filters select, so that both it and the warehouse can count them. */

export type Facet =
  | { readonly by: 'all' }
  | { readonly by: 'status' | 'pay_status'; readonly code: string }
  /** Orders whose sum is this or more: one of `SUM_STEPS`. */
  | { readonly by: 'summ_from'; readonly amount: number };

/** Number of live orders in the warehouse with these codes, whose sums exceed so many of `SUM_STEPS`. */
export type OrderCount = {
  readonly status: string;
  readonly payStatus: string;
  readonly steps: number;
  readonly orders: number;
};

/**
 * Amounts, ascending, from which on orders are counted. They lie between whole amounts, so that it hardly matters whether the shop
 * includes the limit itself.
 */
export const SUM_STEPS: readonly number[] = [10, 100, 1_000, 10_000, 100_000, 1_000_000].flatMap((power) =>
  [1, 1.5, 2, 3, 4, 5, 7].map((factor) => factor * power + 0.5),
);
