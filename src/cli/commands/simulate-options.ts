import type { Command } from 'commander';

import { DIALECT_VALUES } from '../../simulator/api/dialect.ts';

/** Gives the `simulate` command its options and the list of ways in which the shop may speak. */
export function withSimulateOptions(added: Command): Command {
  return added
    .option('--orders <count>', 'orders in the shop', '3000')
    .option('--days <count>', 'days that they are spread over', '180')
    .option('--seed <number>', 'another seed is another shop', '1')
    .option('--latency <ms>', 'added to every answer', '0')
    .option('--page-cap <rows>', 'longest page, whatever limit is asked for')
    .option('--page-bytes <bytes>', 'longest page where pages=bytes', '16384')
    .option('--port <port>', '0 is any free port', '8081')
    .option('--host <address>', 'address to listen at', '127.0.0.1')
    .option('--timezone <zone>', "zone of the shop's times", 'Europe/Berlin')
    .option('--live', 'new orders come and statuses advance')
    .option('--weird', 'every odd dialect at once')
    .option('--dialect <name=value...>', 'how the API speaks where its documentation is silent')
    .option('--json', 'for machines')
    .addHelpText('after', dialectHelp());
}

/** The switches of `--dialect` with their values, the default first. */
function dialectHelp(): string {
  const line = ([name, values]: readonly [string, readonly unknown[]]) =>
    `  ${name.padEnd(17)} ${values.join(' | ')}`;
  return `\nSwitches of --dialect, the default first:\n${Object.entries(DIALECT_VALUES).map(line).join('\n')}`;
}
