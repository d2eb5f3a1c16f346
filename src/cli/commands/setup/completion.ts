import type { Command } from 'commander';

import { completionScript, type Shell } from './completion-script.ts';
import { type CliContext } from '../../output/io.ts';
import { EXIT, type ExitCode } from '../../output/exit-codes.ts';
import { readConfiguredKeys } from '../../stored-shops.ts';

/** `completion`: prints the script; the help says where to put it. */
export function completionCommand(
  { io }: CliContext,
  shell: Shell,
  _options: object,
  own: Command,
): ExitCode {
  io.out(completionScript(shell, own.parent ?? own));
  return EXIT.done;
}

/** `shop-keys`: the keys of the configured shops, one per line. Reads the settings only. */
export function shopKeysCommand(context: CliContext): ExitCode {
  for (const key of readConfiguredKeys(context)) context.io.out(`${key}\n`);
  return EXIT.done;
}
