import { Argument, type Command } from 'commander';

import { withSimulateOptions } from '../commands/simulate-options.ts';
import { type Shell, SHELLS } from '../completion-script.ts';
import type { Describing } from './describing.ts';

/** Commands that need no real shop. */
export function describeTrial({ context, finish, add }: Describing): void {
  withSimulateOptions(add('simulate', 'serve a simulated shop')).action(async (options) =>
    finish(await (await import('../commands/simulate.ts')).simulateCommand(context, options)),
  );
  add('demo', 'simulated shop, embedded database, backfill, answers')
    .option('--keep', 'serve the status page, and leave shop and database running until Ctrl-C')
    .action(async (options) =>
      finish(await (await import('../commands/demo.ts')).demoCommand(context, options)),
    );
}

/** Completion of the command line itself. */
export function describeCompletion({ context, finish, add }: Describing, program: Command): void {
  add('completion', 'print a script that completes order-sync in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .action(async (shell: Shell) => {
      const { completionCommand } = await import('../commands/completion.ts');
      finish(completionCommand(context, program, shell));
    });
  // Asked by the scripts, for `--shop`.
  add('shop-keys', 'print the keys of the configured shops', { hidden: true }).action(async () => {
    const { shopKeysCommand } = await import('../commands/completion.ts');
    finish(shopKeysCommand(context));
  });
}
