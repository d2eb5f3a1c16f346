import { type Command, Option } from 'commander';

import { RESULT_FORMATS } from '../../output/result-format.ts';
import { type Describing, JSON_OF_SEVERAL } from '../../describing.ts';

/** Commands that need the warehouse only. */
export function describeWarehouse(describing: Describing): void {
  const { context, finish, add } = describing;
  const addForStored = (name: string, description: string) =>
    add(name, description).option('--shop <key>', 'one shop of the warehouse; default: all');
  addForStored('status', 'show how complete and fresh each shop is')
    .option('--json', JSON_OF_SEVERAL)
    .action(async (options) => finish(await (await import('./status.ts')).statusCommand(context, options)));
  addForStored('rejections', 'list records and fields that could not be read')
    .option('--all', 'also list resolved ones')
    .option('--json', 'print JSON; one line per shop, field and reason')
    .action(async (options) =>
      finish(await (await import('./rejections.ts')).rejectionsCommand(context, options)),
    );
  addForStored('replay', 'normalize the stored payloads again, without requests to the shop')
    .option('--rekey', "recompute guests' customer keys with the current PII_SECRET")
    .option('--json', JSON_OF_SEVERAL)
    .action(async (options) => finish(await (await import('./replay.ts')).replayCommand(context, options)));
  addForStored('forget', 'erase a person, and keep erasing what the shop still sends')
    .option('--email <address>', "the person's e-mail address")
    .option('--phone <number>', "the person's phone number, with its country code")
    .option('--user-id <id>', "the shop's number of the person's account")
    .option('--dry-run', 'show what would be erased, and write nothing')
    .option('--json', JSON_OF_SEVERAL)
    .action(async (options) => finish(await (await import('./forget.ts')).forgetCommand(context, options)));
  describeSql(describing);
  add('migrate', 'apply database migrations')
    .option('--json', 'print JSON')
    .action(async () => finish(await (await import('./migrate.ts')).migrateCommand(context)));
  add('db', 'keep the embedded database running').action(async () =>
    finish(await (await import('./db.ts')).dbCommand(context)),
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
      finish(await (await import('./sql.ts')).sqlCommand(context, args, options)),
    );
}
