import { Argument, Command, CommanderError, type CommandOptions, Option } from 'commander';

import { ORDER_STAGES } from '../order-stages.ts';
import { VERSION } from '../version.ts';
import { withConfig } from './config-source.ts';
import { addHelp } from './help.ts';
import { type CliContext, EXIT, type ExitCode, type Flags, type ProcessContext } from './output/io.ts';
import { RESULT_FORMATS } from './output/rows/result-format.ts';
import { type Shell, SHELLS } from './completion-script.ts';
import { printFailure, reportError } from './report-error.ts';
import { withSimulateOptions } from './commands/simulate-options.ts';

/**
 * Runs one command line.
 *
 * @param args without the program's name, such as `['sync', '--json']`
 * @returns the exit code
 */
export async function runCommandLine(given: ProcessContext, args: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  const json = args.includes('--json');
  const flags = { debug: false, json, quiet: false, command: '' };
  const context: CliContext = { ...given, flags };
  const program: Command = describeProgram(
    context,
    () => program.opts()['config'],
    (result) => {
      code = result;
    },
  ).hook('preAction', (_program, command) => {
    const { debug, quiet, config } = program.opts();
    const isSet = {
      debug: debug === true,
      quiet: quiet === true,
      ...(typeof config === 'string' ? { config } : {}),
    };
    Object.assign(flags, { ...isSet, command: commandPath(command) } satisfies Partial<Flags>);
  });
  try {
    await program.parseAsync(args.includes('sql') ? args.map(asOperand) : [...args], { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(context, error);
    if (error.exitCode === 0) return EXIT.done;
    // For people, Commander has printed it.
    if (json) printFailure(context, null, error.message, 'failed');
    return EXIT.usage;
  }
}

/** A query may begin with a comment, which is no option: those have no space in their names. */
const asOperand = (arg: string) => (/^--[^=\s]*\s/.test(arg) ? ` ${arg}` : arg);

/** `shops retire` */
function commandPath(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${commandPath(parent)} ${command.name()}` : command.name();
}

type Describing = {
  readonly context: CliContext;
  readonly finish: (code: ExitCode) => void;
  readonly add: (name: string, description: string, options?: CommandOptions) => Command;
};

/** Of help that goes to a file or another program. */
const HELP_COLUMNS = 80;
const JSON_OF_SEVERAL = 'print JSON; one line per shop';

/** @param configOption the value of `--config`, once the command line was parsed */
function describeProgram(
  given: CliContext,
  configOption: () => string | undefined,
  finish: (code: ExitCode) => void,
): Command {
  const context = withConfig(given, configOption);
  const program = new Command('order-sync')
    .description("Keeps an exact, analysable copy of a shop's orders in PostgreSQL.")
    .version(VERSION)
    .option('--config <file>', 'the settings file; default: ORDER_SYNC_CONFIG, else order-sync.env')
    .option('--quiet', 'print results and errors only: no progress, notes or logs')
    .option('--debug', 'show the stack trace of an error')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: context.io.out,
      writeErr: context.io.err,
      getOutHelpWidth: () => context.io.outColumns() ?? HELP_COLUMNS,
      getErrHelpWidth: () => context.io.columns(),
    })
    .showHelpAfterError('(order-sync --help shows the commands)');
  const add: Describing['add'] = (name, description, options) =>
    program.command(name, options).description(description);
  const describing = { context, finish, add };
  add('init', 'ask for the settings of a shop, try them, write them to the settings file')
    .option('--from-env', 'take them from the environment instead of asking')
    .option('--force', 'replace the settings file, and take a time zone that does not fit')
    .action(async (options) =>
      finish(await (await import('./commands/init.ts')).initCommand(given, configOption(), options)),
    );
  describeSync(describing);
  describeWarehouse(describing);
  describeOwner(describing);
  describeShops(describing);
  describeTrial(describing);
  describeCompletion(describing, program);
  addHelp(program);
  return program;
}

// Each command is imported when it runs, so that the help need not load the PostgreSQL driver.

/** Commands that read the shop. */
function describeSync({ context, finish, add }: Describing): void {
  const addForShops = (name: string, description: string) =>
    add(name, description)
      .option('--shop <key>', 'one shop, by its key; default: every configured shop in turn')
      .option('--json', JSON_OF_SEVERAL);
  addForShops('check', 'test settings, database and credentials; show how the API behaves')
    .option('--alert', 'also send a test alert to ALERT_WEBHOOK_URL')
    .action(async (options) =>
      finish(await (await import('./commands/check.ts')).checkCommand(context, options)),
    );
  addForShops('sync', 'sync the days that are due, then exit').action(async (options) =>
    finish(await (await import('./commands/sweep.ts')).syncCommand(context, options)),
  );
  addForShops('backfill', 'sync a range of days without a time budget')
    .option('--from <day>', 'first day, such as 2024-01-31; default: the first order')
    .option('--to <day>', 'last day; default: today')
    .option('--force', 'sync days again that are already verified')
    .option('--accept-missing', 'accept that many orders vanished from the shop at once')
    .action(async (options) =>
      finish(await (await import('./commands/sweep.ts')).backfillCommand(context, options)),
    );
  add('worker', 'run until stopped: sync every shop when due, serve health and metrics').action(async () =>
    finish(await (await import('./commands/worker.ts')).workerCommand(context)),
  );
  addForShops('verify', "compare the shop's list with the warehouse, by month and by order")
    .option('--from <day>', 'first day; default: the first order')
    .option('--to <day>', 'last day; default: today')
    .option('--repair', 'sync the days that differ')
    .action(async (options) =>
      finish(await (await import('./commands/verify.ts')).verifyCommand(context, options)),
    );
  add('login-link', 'print a one-time login link for a shop user')
    .option('--shop <key>', 'the shop, by its key')
    .option('--json', 'print JSON')
    .option('--email <address>', "the user's e-mail")
    .option('--login <name>', "the user's login")
    .option('--user-id <id>', "the user's identifier")
    .option('--redirect-url <url>', 'where the link leads')
    .action(async (options) =>
      finish(await (await import('./commands/login-link.ts')).loginLinkCommand(context, options)),
    );
}

/** Commands that need the warehouse only. */
function describeWarehouse(describing: Describing): void {
  const { context, finish, add } = describing;
  const addForStored = (name: string, description: string) =>
    add(name, description).option('--shop <key>', 'one shop of the warehouse; default: all');
  addForStored('status', 'show how complete and fresh each shop is')
    .option('--json', JSON_OF_SEVERAL)
    .action(async (options) =>
      finish(await (await import('./commands/status.ts')).statusCommand(context, options)),
    );
  addForStored('rejections', 'list records and fields that could not be read')
    .option('--all', 'also list resolved ones')
    .option('--json', 'print JSON; one line per shop, field and reason')
    .action(async (options) =>
      finish(await (await import('./commands/rejections.ts')).rejectionsCommand(context, options)),
    );
  addForStored('replay', 'normalize the stored payloads again, without requests to the shop')
    .option('--rekey', "recompute guests' customer keys with the current PII_SECRET")
    .option('--json', JSON_OF_SEVERAL)
    .action(async (options) =>
      finish(await (await import('./commands/replay.ts')).replayCommand(context, options)),
    );
  addForStored('forget', 'erase a person, and keep erasing what the shop still sends')
    .option('--email <address>', "the person's e-mail address")
    .option('--phone <number>', "the person's phone number, with its country code")
    .option('--user-id <id>', "the shop's number of the person's account")
    .option('--dry-run', 'show what would be erased, and write nothing')
    .option('--json', JSON_OF_SEVERAL)
    .action(async (options) =>
      finish(await (await import('./commands/forget.ts')).forgetCommand(context, options)),
    );
  describeSql(describing);
  add('migrate', 'apply database migrations')
    .option('--json', 'print JSON')
    .action(async () => finish(await (await import('./commands/migrate.ts')).migrateCommand(context)));
  add('db', 'keep the embedded database running').action(async () =>
    finish(await (await import('./commands/db.ts')).dbCommand(context)),
  );
}

function describeSql({ context, finish, add }: Describing): void {
  add('sql', 'run a query as the role bi_reader, which sees the views of bi')
    .argument('[query]', 'one statement, in quotes; default: --file, or standard input')
    // A query without quotes gets a message of its own.
    .allowExcessArguments()
    .option('--views [view]', 'list the views, or the columns of one, with what they mean')
    .option('--file <file>', 'read the query from a file')
    .addOption(
      new Option('--format <format>', 'a table of at most 1000 rows, or all of them')
        .choices(RESULT_FORMATS)
        .default('table'),
    )
    .option('--json', 'the same as --format json')
    .option('--timeout <duration>', 'cancel the query after this', '60s')
    .option(
      '--timezone <zone>',
      "zone in which times are shown; default: the shops' if they share one, else UTC",
    )
    .option('--pii', 'run it as bi_pii_reader, which also sees names and contacts of buyers')
    .option('--demo', 'query what the last `order-sync demo` loaded')
    .action(async (_query: string | undefined, options, { args }: Command) =>
      finish(await (await import('./commands/sql.ts')).sqlCommand(context, args, options)),
    );
}

/** What only the owner of the warehouse can say. */
function describeOwner({ context, finish, add }: Describing): void {
  const addForStored = (name: string, description: string) =>
    add(name, description)
      .option('--shop <key>', 'one shop of the warehouse; a list without it is of all')
      .option('--json', JSON_OF_SEVERAL);
  const fields = addForStored('fields', 'list the extra order fields; show or hide one in bi').action(
    async (options) => finish(await (await import('./commands/fields.ts')).fieldsCommand(context, options)),
  );
  for (const [name, description] of [
    ['show', 'show all values of a field in bi'],
    ['hide', 'show no value of a field in bi'],
  ] as const) {
    fields
      .command(`${name} <field>`)
      .description(description)
      .action(async (key: string, _options, command: Command) => {
        const { fieldChangeCommand } = await import('./commands/fields-change.ts');
        finish(await fieldChangeCommand(context, key, name === 'show', command.optsWithGlobals()));
      });
  }
  const statuses = addForStored('statuses', 'list the status codes; say what one means').action(
    async (options) =>
      finish(await (await import('./commands/statuses.ts')).statusesCommand(context, options)),
  );
  statuses
    .command('set <code>')
    .description('say what a status code means, for past orders too')
    .addOption(
      new Option('--stage <stage>', 'stage of its orders; also decides whether they are sales').choices(
        ORDER_STAGES,
      ),
    )
    .option('--sale', 'its orders are sales; default for open, fulfilment, delivered')
    .option('--no-sale', 'its orders are no sales')
    .option('--name <name>', 'name in reports; an empty one restores the first')
    .option('--stage-order <number>', 'place in sorted reports; documented codes: 0 to 15')
    .option('--add', 'add the code if no order has had it')
    .option('--payment', 'it is a payment code, which has a name only')
    .action(async (code: string, _options, command: Command) => {
      const { setStatusCommand } = await import('./commands/statuses-set.ts');
      finish(await setStatusCommand(context, code, command.optsWithGlobals()));
    });
}

/** The life of a shop in the warehouse. */
function describeShops({ context, finish, add }: Describing): void {
  const shops = add('shops', 'list the shops of the warehouse; retire, restore, rename or delete one')
    .option('--json', JSON_OF_SEVERAL)
    .action(async () => finish(await (await import('./commands/shops.ts')).shopsCommand(context)));
  shops
    .command('retire <key>')
    .description('stop syncing a shop, and leave what was loaded')
    .action(async (key: string) =>
      finish(await (await import('./commands/shops-change.ts')).retireCommand(context, key)),
    );
  shops
    .command('restore <key>')
    .description('sync a retired shop again')
    .action(async (key: string) =>
      finish(await (await import('./commands/shops-change.ts')).restoreCommand(context, key)),
    );
  shops
    .command('rename <key> <new-key>')
    .description('give a shop another key')
    .action(async (key: string, newKey: string) =>
      finish(await (await import('./commands/shops-change.ts')).renameCommand(context, key, newKey)),
    );
  shops
    .command('set-timezone <key> <zone>')
    .description("change the zone of a shop's times, and recompute them from what is kept in raw")
    .action(async (key: string, zone: string) =>
      finish(await (await import('./commands/shops-set-timezone.ts')).setTimezoneCommand(context, key, zone)),
    );
  shops
    .command('delete <key>')
    .description('delete a shop with everything that was loaded from it')
    .option('--yes', 'without this, only say what would be deleted')
    .action(async (key: string, options: { readonly yes?: boolean }) =>
      finish(await (await import('./commands/shops-delete.ts')).deleteCommand(context, key, options)),
    );
}

/** Commands that need no real shop. */
function describeTrial({ context, finish, add }: Describing): void {
  withSimulateOptions(add('simulate', 'serve a simulated shop')).action(async (options) =>
    finish(await (await import('./commands/simulate.ts')).simulateCommand(context, options)),
  );
  add('demo', 'simulated shop, embedded database, backfill, answers')
    .option('--keep', 'serve the status page, and leave shop and database running until Ctrl-C')
    .action(async (options) =>
      finish(await (await import('./commands/demo.ts')).demoCommand(context, options)),
    );
}

/** Completion of the command line itself. */
function describeCompletion({ context, finish, add }: Describing, program: Command): void {
  add('completion', 'print a script that completes order-sync in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .action(async (shell: Shell) => {
      const { completionCommand } = await import('./commands/completion.ts');
      finish(completionCommand(context, program, shell));
    });
  // Asked by the scripts, for `--shop`.
  add('shop-keys', 'print the keys of the configured shops', { hidden: true }).action(async () => {
    const { shopKeysCommand } = await import('./commands/completion.ts');
    finish(shopKeysCommand(context));
  });
}
