import { withSimulateOptions } from './simulate-options.ts';
import type { Describing } from '../../describing.ts';

/** Commands that need no real shop. */
export function describeTrial({ context, finish, add }: Describing): void {
  withSimulateOptions(add('simulate', 'serve a simulated shop')).action(async (options) =>
    finish(await (await import('./simulate.ts')).simulateCommand(context, options)),
  );
  add('demo', 'simulated shop, embedded database, backfill, answers')
    .option('--keep', 'serve the status page, and leave shop and database running until Ctrl-C')
    .action(async (options) => finish(await (await import('./demo.ts')).demoCommand(context, options)));
}
