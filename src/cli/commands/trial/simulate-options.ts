import type { Command } from 'commander';

import { DIALECT_VALUES } from '../../../simulator/shop/dialect.ts';
import { wrap } from '../../output/display-text.ts';

const HELP_COLUMNS = 80;
/** Where their values begin. */
const INDENT = 20;

/** Adds the options of `simulate`, and the dialects to its help. */
export function withSimulateOptions(added: Command): Command {
  return added
    .option('--orders <count>', 'orders in the shop', '3000')
    .option('--days <count>', 'days that the orders are spread over', '180')
    .option('--seed <number>', 'each seed gives another shop', '1')
    .option('--latency <ms>', 'added to every response', '0')
    .option('--page-cap <rows>', 'maximum page size, whatever the limit')
    .option('--page-bytes <bytes>', 'maximum page size where pages=bytes', '16384')
    .option('--port <port>', '0 for any free port', '8081')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--timezone <zone>', "zone of the shop's times", 'Europe/Berlin')
    .option('--live', 'place new orders and advance statuses')
    .option('--state <file>', 'remembers when the shop began, so that a restart continues the same one')
    .option('--weird', 'every odd dialect at once')
    .option('--dialect <name=value...>', 'how the API behaves where its documentation is silent')
    .option('--json', 'print JSON')
    .addHelpText('after', dialectHelp());
}

/** The switches of `--dialect` with their values, the default first. */
function dialectHelp(): string {
  const line = ([name, values]: readonly [string, readonly unknown[]]) =>
    `  ${name}`.padEnd(INDENT) +
    wrap(values.join(' | '), HELP_COLUMNS - INDENT).join(`\n${' '.repeat(INDENT)}`);
  return `\nSwitches of --dialect, the default first:\n${Object.entries(DIALECT_VALUES).map(line).join('\n')}`;
}
