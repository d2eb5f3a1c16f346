import { DIALECT_VALUES } from '../../../simulator/shop/dialect.ts';
import { wrap } from '../../output/display-text.ts';

const HELP_COLUMNS = 80;
/** Where the values of a switch begin. */
const INDENT = 20;

/** The switches of `--dialect` with their values, the default first. */
export function dialectHelp(): string {
  const line = ([name, values]: readonly [string, readonly unknown[]]) =>
    `  ${name}`.padEnd(INDENT) +
    wrap(values.join(' | '), HELP_COLUMNS - INDENT).join(`\n${' '.repeat(INDENT)}`);
  return `\nSwitches of --dialect, the default first:\n${Object.entries(DIALECT_VALUES).map(line).join('\n')}`;
}
