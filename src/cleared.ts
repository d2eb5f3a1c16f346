/** A type that only `normalize/privacy` makes, so that nothing of the shop is stored without passing through it. */

declare const CLEARED: unique symbol;

/** A payload or row without what must not be stored of persons. */
export type Cleared<T> = T & { readonly [CLEARED]: true };
