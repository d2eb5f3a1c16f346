import { DIALECT_VALUES } from '../../../simulator/shop/dialect.ts';

/** The switches of `--dialect` with their values, the default first. */
export const DIALECT_SWITCHES = Object.entries(DIALECT_VALUES).map(
  ([name, values]) => [name, values.join(' | ')] as const,
);
