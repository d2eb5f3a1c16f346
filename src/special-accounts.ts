/** Numbers of accounts that are no person's. */

/** The account that all guests share. */
export const GUEST_OID = '6';

/** Accounts of erased persons have numbers below this one, which no shop uses: the lowest quarter of 64 bits. */
export const ERASED_BELOW = -(2n ** 62n);
