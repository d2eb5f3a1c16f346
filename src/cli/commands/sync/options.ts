import { type Describing, JSON_OF_SEVERAL } from '../../describing.ts';

/** Commands that read the shop. */
export function describeSync({ context, finish, add }: Describing): void {
  const addForShops = (name: string, description: string) =>
    add(name, description)
      .option('--shop <key>', 'one shop, by its key; default: every configured shop in turn')
      .option('--json', JSON_OF_SEVERAL);
  addForShops('check', 'test settings, database and credentials; show how the API behaves')
    .option('--alert', 'also send a test alert to ALERT_WEBHOOK_URL')
    .action(async (options) => finish(await (await import('./check.ts')).checkCommand(context, options)));
  addForShops('sync', 'sync the days that are due, then exit').action(async (options) =>
    finish(await (await import('./sweep.ts')).syncCommand(context, options)),
  );
  addForShops('backfill', 'sync a range of days without a time budget')
    .option('--from <day>', 'first day, such as 2024-01-31; default: the first order')
    .option('--to <day>', 'last day; default: today')
    .option('--force', 'sync days again that are already verified')
    .option('--accept-missing', 'accept that many orders vanished from the shop at once')
    .action(async (options) => finish(await (await import('./sweep.ts')).backfillCommand(context, options)));
  add('worker', 'run until stopped: sync every shop when due, serve health and metrics').action(async () =>
    finish(await (await import('./worker.ts')).workerCommand(context)),
  );
  addForShops('verify', "compare the shop's list with the warehouse, by month and by order")
    .option('--from <day>', 'first day; default: the first order')
    .option('--to <day>', 'last day; default: today')
    .option('--lines', 'read the contents of these orders too, and compare their lines')
    .option('--repair', 'sync the days that differ')
    .action(async (options) => finish(await (await import('./verify.ts')).verifyCommand(context, options)));
  add('login-link', 'print a one-time login link for a shop user')
    .option('--shop <key>', 'the shop, by its key')
    .option('--json', 'print JSON')
    .option('--email <address>', "the user's e-mail")
    .option('--login <name>', "the user's login")
    .option('--user-id <id>', "the user's identifier")
    .option('--redirect-url <url>', 'where the link leads')
    .action(async (options) =>
      finish(await (await import('./login-link.ts')).loginLinkCommand(context, options)),
    );
}
