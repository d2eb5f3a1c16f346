import { Command, CommanderError } from 'commander';

import { VERSION } from '../version.ts';
import { describeError, describeStack } from './describe-error.ts';
import { type CliContext, EXIT, type ExitCode } from './io.ts';
import { withSimulateOptions } from './simulate-options.ts';

/**
 * Runs one command line.
 *
 * @param args without the program's name, such as `['sync', '--json']`
 * @returns the exit code
 */
export async function runCommandLine(context: CliContext, args: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  const program = describeProgram(context, (result) => {
    code = result;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { text, code: failure } = describeError(error, context.signal.aborted);
    context.io.err(`${text}\n`);
    if (program.opts()['debug'] === true) context.io.err(`${describeStack(error)}\n`);
    return failure;
  }
}

function describeProgram({ io, ...rest }: CliContext, finish: (code: ExitCode) => void): Command {
  const context = { io, ...rest };
  const program = new Command('order-sync')
    .description("Keeps an exact, analysable copy of a shop's orders in PostgreSQL.")
    .version(VERSION)
    .option('--debug', 'show the stack trace of an error')
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .showHelpAfterError('(order-sync --help shows the commands)');
  // Each command is imported when it runs: the help should not wait for PostgreSQL's driver.
  const add = (name: string, description: string) => program.command(name).description(description);
  const addForShop = (name: string, description: string) =>
    add(name, description).option('--shop <key>', 'the shop, by its key').option('--json', 'for machines');

  addForShop('check', 'test settings, database and credentials; show how the shop behaves').action(
    async (options) => finish(await (await import('./check.ts')).checkCommand(context, options)),
  );
  add('migrate', 'apply database migrations')
    .option('--json', 'for machines')
    .action(async (options) => finish(await (await import('./migrate.ts')).migrateCommand(context, options)));
  addForShop('sync', 'verify the days that are due, then exit').action(async (options) =>
    finish(await (await import('./sweep.ts')).syncCommand(context, options)),
  );
  addForShop('backfill', 'verify a range of days without a time budget')
    .option('--from <day>', 'first day, such as 2024-01-31; default: the first order')
    .option('--to <day>', 'last day; default: today')
    .option('--force', 'verify again what was verified before')
    .option('--accept-missing', 'believe the shop even where many orders vanished at once')
    .action(async (options) => finish(await (await import('./sweep.ts')).backfillCommand(context, options)));
  addForShop('verify', "compare the shop's list with the warehouse, by month and by order")
    .option('--from <day>', 'first day; default: the first order')
    .option('--to <day>', 'last day; default: today')
    .option('--repair', 'sweep the days that differ')
    .action(async (options) => finish(await (await import('./verify.ts')).verifyCommand(context, options)));
  addForShop('status', 'show how complete and fresh each shop is').action(async (options) =>
    finish(await (await import('./status.ts')).statusCommand(context, options)),
  );
  addForShop('login-link', 'print a one-time login link for a shop user')
    .option('--email <address>', "the user's e-mail")
    .option('--login <name>', "the user's login")
    .option('--user-id <id>', "the user's identifier")
    .option('--redirect-url <url>', 'where the link leads')
    .action(async (options) =>
      finish(await (await import('./login-link.ts')).loginLinkCommand(context, options)),
    );
  add('db', 'keep the embedded database running').action(async () =>
    finish(await (await import('./db.ts')).dbCommand(context)),
  );
  withSimulateOptions(add('simulate', 'serve a simulated shop')).action(async (options) =>
    finish(await (await import('./simulate.ts')).simulateCommand(context, options)),
  );
  add('demo', 'simulated shop, embedded database, backfill, answers')
    .option('--keep', 'leave shop and database running until Ctrl-C')
    .action(async (options) => finish(await (await import('./demo.ts')).demoCommand(context, options)));
  return program;
}
