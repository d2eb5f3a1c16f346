import type { Command } from 'commander';

import { SETTINGS } from '../../config/settings.ts';
import { DIALECT_SWITCHES } from '../commands/trial/dialect-help.ts';
import { EXIT_MEANINGS } from '../output/io.ts';
import { type Fact, layOut } from '../output/layout.ts';

type Example = readonly [line: string, meaning: string];

/** Command lines, and what each of them does. Each is shown in the help of its command. */
export const EXAMPLES: readonly Example[] = [
  ['order-sync init', 'ask for the settings, and write order-sync.env'],
  ['order-sync init --from-env --config shop.env', 'take them from the environment, in a script'],
  ['order-sync check', 'test everything, and estimate what a load takes'],
  ['order-sync check shop.example', 'say whether there is such a shop; needs no login'],
  ['order-sync check --alert', 'also send a test alert'],
  ['order-sync sync', 'what is due, within SYNC_BUDGET'],
  ['order-sync sync --quiet --json >> sync.jsonl', 'by cron, with the results in a file'],
  ['order-sync backfill', 'the whole history; Ctrl-C and run it again as you like'],
  ['order-sync backfill --from 2024-01-01 --to 2024-12-31', 'one year'],
  ['order-sync backfill --from 2026-01-31 --to 2026-01-31 --force', 'read one day again'],
  ['order-sync worker', 'sync all shops until stopped; the status page is at PORT'],
  ['order-sync verify', "compare the shop's whole list with the warehouse"],
  ['order-sync verify --from 2026-01-01 --repair', 'since that day, and sync the days that differ'],
  ['order-sync verify --from 2026-01-01 --lines', 'the lines of these orders too, a request for each'],
  ['order-sync login-link --email anna@shop.example', 'for the user with that address'],
  ['order-sync status', 'all shops, those that need attention first'],
  ['order-sync status --json', 'for a script: one line per shop'],
  ['order-sync rejections', 'what could not be read, by field and reason'],
  ['order-sync sql --views', 'what there is to ask: all views, with a sentence each'],
  ['order-sync sql --views daily_sales', 'the columns of one, and what they mean'],
  ['order-sync sql "SELECT * FROM daily_sales LIMIT 7"', 'the views of bi, by their names'],
  ['order-sync sql --format csv < sales.sql > sales.csv', 'for a spreadsheet'],
  ['order-sync sql --demo "SELECT * FROM orders LIMIT 5"', 'what the last demo loaded'],
  ['order-sync export --to lake', 'as Parquet, by shop and month; again: what changed'],
  ['order-sync export --to out --format csv --since old/manifest.json', 'only what changed since then'],
  ['order-sync replay', 'after an upgrade, when status says that a replay is due'],
  ['order-sync replay --rekey', 'after a change of PII_SECRET'],
  ['order-sync forget --email anna@shop.example --dry-run', 'show what would be erased'],
  ['order-sync forget --email anna@shop.example', 'erase it'],
  ['order-sync forget --shop north --user-id 12', 'by the number of an account in one shop'],
  ['order-sync fields', 'all of them, and which wait for you'],
  ['order-sync fields show company', 'from now on, in all views of bi'],
  ['order-sync fields hide source --shop north', 'of one of several shops'],
  ['order-sync statuses', 'all of them, and which have no meaning yet'],
  ['order-sync statuses set W7 --stage open', 'orders in W7 are open, and count as sales'],
  ['order-sync statuses set W7 --name "Wartet auf Ware"', 'their name in reports'],
  ['order-sync statuses set BANK --name Bank --payment', 'a payment code'],
  ['order-sync migrate', 'after an upgrade, as the owner of the tables'],
  ['order-sync db', 'leave it open for psql or a BI tool; prints its address'],
  ['order-sync db login bi', 'for a BI tool; prints how to connect'],
  ['order-sync db login anna --pii', 'for a person who needs names and addresses'],
  ['order-sync shops', 'list them'],
  ['order-sync shops pause north', 'while it is being moved or repaired, or when it has closed'],
  ['order-sync shops resume north', 'the next sync catches up'],
  ['order-sync shops set-timezone north Europe/Berlin', 'then set SHOP_TIMEZONE to Europe/Berlin'],
  ['order-sync shops delete north', 'show what would be deleted'],
  ['order-sync shops delete north --yes', 'delete it'],
  ['order-sync simulate --orders 500 --live', 'a shop with new orders all the time'],
  ['order-sync simulate --weird --page-cap 50', 'one that is hard to read'],
  ['order-sync sync --order 100017 100018', 'read two orders again, at once'],
  ['order-sync fetch orders --status A --sum-from 100', 'accepted orders of 100 and more'],
  ['order-sync fetch order 100017', 'what the shop has, and where the warehouse differs'],
  ['order-sync fetch user 20017 --pii', 'with name and contacts'],
  ['order-sync fetch groups', 'the topmost groups'],
  ['order-sync demo', 'see it work, without a shop'],
  ['order-sync demo --keep', 'and query the result with psql'],
];

/** Of what is added to the help, whatever the terminal is. */
const COLUMNS = 80;

/** Adds the settings to the help of the program, and examples to that of all its commands. */
export function addHelp(program: Command): void {
  const settings = SETTINGS.map(({ env, meaning, default: usual }): Fact => {
    return [env, usual === undefined ? meaning : `${meaning}; default: ${usual}`];
  });
  addFacts(program, 'Exit codes, of several shops the worst:', Object.entries(EXIT_MEANINGS));
  addFacts(program, 'Settings (environment variables, or lines of order-sync.env):', settings);
  addExamples(program, '');
}

function addExamples(parent: Command, path: string): void {
  for (const command of parent.commands) {
    const name = `${path} ${command.name()}`.trim();
    const parts = command.commands.map((part) => `${name} ${part.name()}`);
    const all = EXAMPLES.filter(([line]) => isOf(line, name));
    const own = all.filter(([line]) => !parts.some((part) => isOf(line, part)));
    const lines = (own.length > 0 ? own : all).flatMap(([line, meaning]) => [
      `  ${line}`,
      `      ${meaning}`,
    ]);
    command.addHelpText('after', ['\nExamples:', ...lines].join('\n'));
    if (name === 'simulate') addFacts(command, 'Switches of --dialect, the default first:', DIALECT_SWITCHES);
    addExamples(command, name);
  }
}

function addFacts(command: Command, heading: string, facts: readonly Fact[]): void {
  command.addHelpText('after', `\n${layOut([heading, { facts }], COLUMNS).trimEnd()}`);
}

const isOf = (line: string, name: string) => new RegExp(`\\border-sync ${name}(?![\\w-])`).test(line);
