import { Argument, type Command } from 'commander';

import type { Describing } from '../../describing.ts';
import { type Shell, SHELLS } from './completion-script.ts';

/** @param given the context without the settings file, which the command writes */
export function describeInit(
  { finish, add }: Describing,
  given: Describing['context'],
  configOption: () => string | undefined,
): void {
  add('init', 'ask for the settings of a shop, try them, write them to the settings file')
    .option('--from-env', 'take them from the environment instead of asking')
    .option('--force', 'replace the settings file, and take a time zone that does not fit')
    .action(async (options) =>
      finish(await (await import('./init.ts')).initCommand(given, configOption(), options)),
    );
}

/** Completion of the command line itself. */
export function describeCompletion({ context, finish, add }: Describing, program: Command): void {
  add('completion', 'print a script that completes order-sync in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .action(async (shell: Shell) => {
      const { completionCommand } = await import('./completion.ts');
      finish(completionCommand(context, program, shell));
    });
  // Asked by the scripts, for `--shop`.
  add('shop-keys', 'print the keys of the configured shops', { hidden: true }).action(async () => {
    const { shopKeysCommand } = await import('./completion.ts');
    finish(shopKeysCommand(context));
  });
}
