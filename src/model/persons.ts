/** What every room knows of persons: accounts that are none, and what was cleared of them. */

import type { JsonObject } from './json.ts';

/** The account that all guests share. */
export const GUEST_OID = '6';

/** Accounts of erased persons have numbers below this one, which no shop uses: the lowest quarter of 64 bits. */
export const ERASED_BELOW = -(2n ** 62n);

/** Records in which the person of an account says who that is: as the shop sends them, or as they are stored. */
export type Profile = readonly JsonObject[];

declare const CLEARED: unique symbol;

/**
 * A payload or row without what must not be stored of persons. Only `normalize/privacy` makes it, so that nothing of the
 * shop is stored without passing through it.
 */
export type Cleared<T> = T & { readonly [CLEARED]: true };
