import { DIALECT_VALUES } from '../../../simulator/shop/dialect.ts';
import { facts } from '../../output/table.ts';

/** The switches of `--dialect` with their values, the default first. */
export function dialectHelp(columns: number): string {
  const switches = Object.entries(DIALECT_VALUES).map(
    ([name, values]) => [name, values.join(' | ')] as const,
  );
  return `\nSwitches of --dialect, the default first:\n${facts(switches, columns).trimEnd()}`;
}
