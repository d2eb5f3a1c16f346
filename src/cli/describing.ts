import type { Command, CommandOptions } from 'commander';

import type { CliContext } from './output/io.ts';
import type { ExitCode } from './output/exit-codes.ts';

/** What adds commands to the program. Each is imported when it runs, so that the help need not load the PostgreSQL driver. */
export type Describing = {
  readonly context: CliContext;
  readonly finish: (code: ExitCode) => void;
  readonly add: (name: string, description: string, options?: CommandOptions) => Command;
};

export const JSON_OF_SEVERAL = 'print JSON; one line per shop';
