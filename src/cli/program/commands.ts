import { type Command, Option } from 'commander';

import { ORDER_STAGES } from '../../model/status-codes.ts';
import { EXPORT_FORMATS } from '../../export/export-format.ts';
import { type CliContext, type Ended, EXIT, type ExitCode } from '../output/io.ts';

/** Gets the arguments, then all options, those of the commands above included, and the command itself. */
type Run = (context: CliContext, ...args: Command['processedArgs']) => Ended | Promise<Ended>;

/** What adds commands to the program. Each is imported when it runs, so that the help need not load the PostgreSQL driver. */
type Adding = {
  /** @param under another command. @default the program */
  readonly add: (name: string, description: string, under?: Command) => Command;
  readonly run: <Name extends string>(
    load: () => Promise<Readonly<Record<Name, Run>>>,
    name: Name,
    context?: CliContext,
  ) => (this: Command) => Promise<void>;
};

const JSON_OF_SEVERAL = 'print JSON; one line per shop';

/** @param bareContext the context without the settings file, which `init` writes */
export function addCommands(
  program: Command,
  context: CliContext,
  bareContext: CliContext,
  finish: (code: ExitCode) => void,
): void {
  const adding: Adding = {
    add: (name, description, under = program) => under.command(name).description(description),
    run: (load, name, own = context) =>
      async function run() {
        const { [name]: command } = await load();
        const code = await command(own, ...this.processedArgs, this.optsWithGlobals(), this);
        finish(code ?? EXIT.done);
      },
  };
  const { add, run } = adding;
  add('init', 'ask for the settings of a shop, try them, and write them to the settings file')
    .option('--from-env', 'take them from the environment instead of asking')
    .option('--force', 'replace the settings file, and take a time zone that does not fit')
    .action(run(() => import('../commands/setup/init.ts'), 'initCommand', bareContext));
  addSync(adding);
  addFetch(adding);
  addWarehouse(adding);
  addOwner(adding);
  addShops(adding);
  addTrial(adding);
}

/** Commands that read the shop. */
function addSync({ add, run }: Adding): void {
  const addForShops = (name: string, description: string) =>
    add(name, description)
      .option('--shop <key>', 'one shop, by its key; default: every configured shop in turn')
      .option('--json', JSON_OF_SEVERAL);
  addForShops('check', 'test settings, database and credentials; show how the API behaves')
    .argument('[url]', 'only say whether there is such a shop at this address; needs no login')
    .option('--alert', 'also send a test alert to ALERT_WEBHOOK_URL')
    .action(run(() => import('../commands/sync/check.ts'), 'checkCommand'));
  addForShops('sync', 'sync the days that are due, then exit')
    .option('--order <id...>', 'only read these orders again, with their lines')
    .action(run(() => import('../commands/sync/sweep.ts'), 'syncCommand'));
  addForShops('backfill', 'sync a range of days without a time budget')
    .option('--from <day>', 'first day, such as 2024-01-31; default: the first order')
    .option('--to <day>', 'last day; default: today')
    .option('--force', 'sync days again although they are verified')
    .option('--accept-missing', 'accept that many orders vanished from the shop at once')
    .action(run(() => import('../commands/sync/sweep.ts'), 'backfillCommand'));
  add('worker', 'run until stopped: sync every shop when due, serve health and metrics').action(
    run(() => import('../commands/sync/worker.ts'), 'workerCommand'),
  );
  addForShops('verify', "compare the shop's list with the warehouse, by month and by order")
    .option('--from <day>', 'first day; default: the first order')
    .option('--to <day>', 'last day; default: today')
    .option('--repair', 'sync the days that differ')
    .option('--lines', 'read the contents of these orders too, and compare their lines')
    .action(run(() => import('../commands/sync/verify.ts'), 'verifyCommand'));
  add('login-link', 'print a one-time login link for a shop user')
    .option('--shop <key>', 'the shop, by its key')
    .option('--json', 'print JSON')
    .option('--email <address>', "the user's e-mail")
    .option('--login <name>', "the user's login")
    .option('--user-id <id>', "the user's identifier")
    .option('--redirect-url <url>', 'where the link leads')
    .action(run(() => import('../commands/sync/login-link.ts'), 'loginLinkCommand'));
}

/** Commands that ask the shop, and store nothing. */
function addFetch({ add, run }: Adding): void {
  const fetch = add('fetch', 'ask the shop for orders, an order, a user or groups; nothing is stored');
  fetch.action(() => fetch.outputHelp());
  const addFetched = (name: string, description: string) =>
    add(name, description, fetch)
      .option('--shop <key>', 'the shop, by its key')
      .option('--json', 'print JSON; one line per record');
  const load = () => import('../commands/sync/fetch.ts');
  addFetched('orders', "list orders by the shop's own filters")
    .option('--status <code>', 'order status')
    .option('--pay-status <code>', 'payment status: S, HP or FP')
    .option('--name <text>', "part of the buyer's name")
    .option('--address <text>', "part of the buyer's postal address")
    .option('--email <text>', "part of the buyer's e-mail address")
    .option('--phone <text>', "part of the buyer's phone number")
    .option('--sum-from <amount>', 'lowest order sum')
    .option('--sum-to <amount>', 'highest order sum')
    .option('--color <color>', 'colour of the order')
    .option('--product <id>', 'a product that the order contains')
    .option('--buyer <id>', "the buyer's number; 6: guests")
    .option('--from <day>', 'first day on which it was placed')
    .option('--to <day>', 'last day')
    .option('--limit <count>', 'at most so many orders', '100')
    .option('--pii', 'also show names and contacts of buyers')
    .action(run(load, 'fetchOrdersCommand'));
  addFetched('order <id>', 'show one order with its lines, and where the warehouse differs')
    .option('--pii', 'also show name and contacts of the buyer')
    .action(run(load, 'fetchOrderCommand'));
  addFetched('user <key>', 'show one user, by number, login or e-mail address')
    .option('--pii', 'also show name and contacts')
    .action(run(load, 'fetchUserCommand'));
  addFetched('groups', 'list the user groups directly below one')
    .option('--parent <id>', 'the group above; 0: the top', '0')
    .action(run(load, 'fetchGroupsCommand'));
}

/** Commands that need the warehouse only. */
function addWarehouse(adding: Adding): void {
  const { add, run } = adding;
  const addForStored = (name: string, description: string) =>
    add(name, description).option('--shop <key>', 'one shop of the warehouse; default: all');
  addForStored('status', 'show how complete and fresh each shop is')
    .option('--json', JSON_OF_SEVERAL)
    .action(run(() => import('../commands/warehouse/status.ts'), 'statusCommand'));
  addForStored('rejections', 'list records and fields that could not be read')
    .option('--all', 'also list resolved ones')
    .action(run(() => import('../commands/warehouse/rejections.ts'), 'rejectionsCommand'));
  addForStored('replay', 'normalize the stored payloads again, without requests to the shop')
    .option('--rekey', "recompute guests' customer keys with the current PII_SECRET")
    .option('--json', JSON_OF_SEVERAL)
    .action(run(() => import('../commands/warehouse/replay.ts'), 'replayCommand'));
  addForStored('forget', 'erase a person, and keep erasing what the shop still sends')
    .option('--email <address>', "the person's e-mail address")
    .option('--phone <number>', "the person's phone number, with its country code")
    .option('--user-id <id>', "the shop's number of the person's account")
    .option('--dry-run', 'show what would be erased, and write nothing')
    .option('--json', JSON_OF_SEVERAL)
    .action(run(() => import('../commands/warehouse/forget.ts'), 'forgetCommand'));
  addSql(adding);
  addExport(adding);
  add('migrate', 'apply database migrations')
    .option('--wait', 'apply nothing, and end when somebody else has applied them')
    .option('--json', 'print JSON')
    .action(run(() => import('../commands/warehouse/migrate.ts'), 'migrateCommand'));
  const ofDb = () => import('../commands/warehouse/db.ts');
  const db = add('db', 'keep the embedded database running; make a login for a BI tool').action(
    run(ofDb, 'dbCommand'),
  );
  add('login <name>', 'make a login that reads the views of bi, and say how to connect', db)
    .option('--pii', 'it also reads bi_pii, with names and contacts of buyers')
    .option('--password-file <file>', 'its password; default: a new one, which is shown once')
    .option('--timezone <zone>', "zone in which it sees times; default: the shops' if they share one")
    .action(run(ofDb, 'dbLoginCommand'));
}

function addSql({ add, run }: Adding): void {
  add('sql', 'run a query on the views of bi, as the role bi_reader; for a BI tool, db login makes a login')
    .argument('[query]', 'one statement, in quotes; default: standard input')
    // A query without quotes gets a message of its own.
    .allowExcessArguments()
    .option('--views [view]', 'list the views, or the columns of one, with what they mean')
    .addOption(
      new Option('--format <format>', 'a table of at most 1000 rows, or all of them')
        .choices(['table', 'csv', 'json'])
        .default('table'),
    )
    .addOption(
      new Option(
        '--json',
        'the same as --format json: the rows, and the days of which they are not proven',
      ).implies({ format: 'json' }),
    )
    .option('--timeout <duration>', 'cancel the query after this', '60s')
    .option(
      '--timezone <zone>',
      "zone in which times are shown; default: the shops' if they share one, else UTC",
    )
    .option('--pii', 'run it as bi_pii_reader, which also sees names and contacts of buyers')
    .option('--demo', 'query what the last `order-sync demo` loaded')
    .action(run(() => import('../commands/warehouse/sql.ts'), 'sqlCommand'));
}

function addExport({ add, run }: Adding): void {
  add('export', 'write views of bi as files, by shop and month; only what changed since the last time')
    .requiredOption('--to <folder>', 'where to write them, with a manifest.json')
    .addOption(
      new Option('--format <format>', 'format of the files').choices(EXPORT_FORMATS).default('parquet'),
    )
    .option('--view <views...>', 'views of bi; default: orders, their parts, and what codes and ids mean')
    .option('--since <manifest>', 'only what changed since that export, wherever its files are')
    .option('--json', 'print JSON')
    .action(run(() => import('../commands/warehouse/export.ts'), 'exportCommand'));
}

/** What only the owner of the warehouse can say. */
function addOwner({ add, run }: Adding): void {
  const ofFields = () => import('../commands/owner/fields.ts');
  const ofStatuses = () => import('../commands/owner/statuses.ts');
  const addForStored = (name: string, description: string) =>
    add(name, description).option('--shop <key>', 'one shop of the warehouse; default for a list: all');
  const fields = addForStored('fields', 'list the extra order fields; show or hide one in bi').action(
    run(ofFields, 'fieldsCommand'),
  );
  add('show <field>', 'show all values of a field in bi', fields).action(run(ofFields, 'showFieldCommand'));
  add('hide <field>', 'show no value of a field in bi', fields).action(run(ofFields, 'hideFieldCommand'));
  const statuses = addForStored('statuses', 'list the status codes; say what one means').action(
    run(ofStatuses, 'statusesCommand'),
  );
  add('set <code>', 'say what a status code means, for past orders too', statuses)
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
    .action(run(ofStatuses, 'setStatusCommand'));
}

/** The life of a shop in the warehouse. */
function addShops({ add, run }: Adding): void {
  const load = () => import('../commands/shops/shops.ts');
  const shops = add('shops', 'list the shops of the warehouse; pause, resume or delete one').action(
    run(load, 'shopsCommand'),
  );
  add('pause <key>', 'stop syncing a shop until it is resumed, and raise no alerts for it', shops).action(
    run(load, 'pauseCommand'),
  );
  add('resume <key>', 'sync a paused shop again', shops).action(run(load, 'resumeCommand'));
  add(
    'set-timezone <key> <zone>',
    "change the zone of a shop's times, and recompute them from what is kept in raw",
    shops,
  ).action(run(load, 'setTimezoneCommand'));
  add('delete <key>', 'delete a shop with everything that was loaded from it', shops)
    .option('--yes', 'delete it; without this, only say what would be deleted, and exit 1')
    .action(run(load, 'deleteCommand'));
}

/** Commands that need no real shop. */
function addTrial({ add, run }: Adding): void {
  add('simulate', 'serve a simulated shop')
    .option('--orders <count>', 'orders in the shop', '3000')
    .option('--days <count>', 'days that the orders are spread over', '180')
    .option('--seed <number>', 'each seed gives another shop', '1')
    .option('--latency <ms>', 'delay of every response', '0')
    .option('--page-cap <rows>', 'maximum page size, whatever the limit')
    .option('--port <port>', '0 for any free port', '8081')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--timezone <zone>', "zone of the shop's times", 'Europe/Berlin')
    .option('--live', 'place new orders and advance statuses')
    .option('--state <file>', 'remembers when the shop began, so that a restart continues the same one')
    .option('--weird', 'every odd dialect at once')
    .option('--dialect <name=value...>', 'how the API behaves where its documentation is silent')
    .option('--json', 'print JSON')
    .action(run(() => import('../commands/trial/simulate.ts'), 'simulateCommand'));
  add('demo', 'load a simulated shop into an embedded PostgreSQL, and ask it some questions')
    .option('--keep', 'serve the status page, and leave shop and database running until Ctrl-C')
    .action(run(() => import('../commands/trial/demo.ts'), 'demoCommand'));
}
