import type { Command } from 'commander';

export type CommandHelp = {
  /** Command lines, and what each of them does. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  /** The settings that matter most to it. */
  readonly settings: readonly HelpedSetting[];
};

type HelpedSetting = keyof typeof SETTING_MEANINGS;

const LOGIN = ['SHOP_URL', 'SHOP_LOGIN', 'SHOP_API_KEY', 'SHOP_TIMEZONE', 'SHOPS_FILE'] as const;
const RATE = ['SHOP_MAX_RPS', 'SHOP_MAX_CONCURRENCY'] as const;
const DATABASE = ['DATABASE_URL'] as const;

export const HELP: Readonly<Record<string, CommandHelp>> = {
  init: {
    examples: [
      ['order-sync init', 'ask for the settings, and write order-sync.env'],
      ['order-sync init --from-env --config shop.env', 'take them from the environment, in a script'],
    ],
    settings: LOGIN,
  },
  check: {
    examples: [
      ['order-sync check', 'test everything, and estimate what a load takes'],
      ['order-sync check --shop north --json', 'one of several shops, for a script'],
      ['order-sync check --alert', 'also send a test alert'],
    ],
    settings: [...LOGIN, ...DATABASE, 'ALERT_WEBHOOK_URL'],
  },
  sync: {
    examples: [
      ['order-sync sync', 'what is due, within SYNC_BUDGET'],
      ['order-sync sync --quiet --json >> sync.jsonl', 'by cron, with the results in a file'],
    ],
    settings: [...LOGIN, ...DATABASE, 'FRESHNESS', 'SYNC_BUDGET'],
  },
  backfill: {
    examples: [
      ['order-sync backfill', 'the whole history, newest day first; Ctrl-C and run it again as you like'],
      ['order-sync backfill --from 2024-01-01 --to 2024-12-31', 'one year'],
      ['order-sync backfill --from 2026-01-31 --to 2026-01-31 --force', 'read one day again'],
    ],
    settings: [...LOGIN, ...DATABASE, 'SHOP_HISTORY_FROM', ...RATE],
  },
  worker: {
    examples: [['order-sync worker', 'sync all shops until stopped; the status page is at PORT']],
    settings: [
      ...LOGIN,
      ...DATABASE,
      'FRESHNESS',
      'SYNC_CRON',
      'PORT',
      'OPS_PASSWORD',
      'OPS_HOSTS',
      'ALERT_WEBHOOK_URL',
    ],
  },
  verify: {
    examples: [
      ['order-sync verify', "compare the shop's whole list with the warehouse"],
      ['order-sync verify --from 2026-01-01 --repair', 'since that day, and sync the days that differ'],
      ['order-sync verify --from 2026-01-01 --lines', 'the lines of these orders too, a request for each'],
    ],
    settings: [...LOGIN, ...DATABASE],
  },
  'login-link': {
    examples: [
      ['order-sync login-link --email anna@shop.example', 'for the user with that address'],
      [
        'order-sync login-link --user-id 12 --redirect-url https://shop.example/cart',
        'and lead to that page',
      ],
    ],
    settings: LOGIN,
  },
  status: {
    examples: [
      ['order-sync status', 'all shops, those that need attention first'],
      ['order-sync status --json', 'for a script: one line per shop'],
    ],
    settings: [...DATABASE, 'FRESHNESS'],
  },
  rejections: {
    examples: [
      ['order-sync rejections', 'what could not be read, by field and reason'],
      ['order-sync rejections --all --shop north', 'of one shop, with those that are resolved'],
    ],
    settings: DATABASE,
  },
  sql: {
    examples: [
      ['order-sync sql --views', 'what there is to ask: all views, with a sentence each'],
      ['order-sync sql --views daily_sales', 'the columns of one, and what they mean'],
      ['order-sync sql "SELECT * FROM daily_sales LIMIT 7"', 'the views of bi, by their names'],
      ['order-sync sql --file sales.sql --format csv > sales.csv', 'for a spreadsheet'],
      ['order-sync sql --demo "SELECT * FROM orders LIMIT 5"', 'what the last demo loaded'],
    ],
    settings: DATABASE,
  },
  replay: {
    examples: [
      ['order-sync replay', 'after an upgrade, when status says that a replay is due'],
      ['order-sync replay --rekey', 'after a change of PII_SECRET'],
    ],
    settings: [...DATABASE, 'PII_SECRET', 'PII_MODE'],
  },
  forget: {
    examples: [
      ['order-sync forget --email anna@shop.example --dry-run', 'show what would be erased'],
      ['order-sync forget --email anna@shop.example', 'erase it'],
      ['order-sync forget --shop north --user-id 12', 'by the number of an account, which is of one shop'],
    ],
    settings: [...DATABASE, 'PII_SECRET'],
  },
  fields: {
    examples: [
      ['order-sync fields', 'all of them, and which wait for you'],
      ['order-sync fields --shop north', 'of one of several shops'],
    ],
    settings: DATABASE,
  },
  'fields show': {
    examples: [['order-sync fields show company', 'from now on, in all views of bi']],
    settings: DATABASE,
  },
  'fields hide': {
    examples: [['order-sync fields hide source --shop north', 'of one of several shops']],
    settings: DATABASE,
  },
  statuses: {
    examples: [
      ['order-sync statuses', 'all of them, and which have no meaning yet'],
      ['order-sync statuses --json', 'the same for programs'],
    ],
    settings: DATABASE,
  },
  'statuses set': {
    examples: [
      ['order-sync statuses set W7 --stage open', 'orders in W7 are open, and count as sales'],
      ['order-sync statuses set W7 --name "Wartet auf Ware"', 'their name in reports'],
      ['order-sync statuses set C --no-sale --shop north', 'a documented code, of one shop'],
      ['order-sync statuses set BANK --name Bank --payment', 'a payment code'],
    ],
    settings: DATABASE,
  },
  migrate: {
    examples: [['order-sync migrate', 'after an upgrade, as the owner of the tables']],
    settings: DATABASE,
  },
  db: {
    examples: [['order-sync db', 'leave it open for psql or a BI tool; prints its address']],
    settings: [],
  },
  shops: {
    examples: [
      ['order-sync shops', 'list them'],
      ['order-sync shops --json', 'for a script: one line per shop'],
    ],
    settings: DATABASE,
  },
  'shops retire': {
    examples: [['order-sync shops retire north', 'keep its orders, and sync it no more']],
    settings: DATABASE,
  },
  'shops restore': {
    examples: [['order-sync shops restore north', 'sync it again']],
    settings: DATABASE,
  },
  'shops rename': {
    examples: [['order-sync shops rename north south', 'then set SHOP_KEY to south']],
    settings: DATABASE,
  },
  'shops set-timezone': {
    examples: [
      ['order-sync shops set-timezone north Europe/Berlin', 'then set SHOP_TIMEZONE to Europe/Berlin'],
    ],
    settings: DATABASE,
  },
  'shops delete': {
    examples: [
      ['order-sync shops delete north', 'show what would be deleted'],
      ['order-sync shops delete north --yes', 'delete it'],
    ],
    settings: DATABASE,
  },
  simulate: {
    examples: [
      ['order-sync simulate --orders 500 --live', 'a shop with new orders all the time'],
      ['order-sync simulate --weird --page-cap 50', 'one that is hard to read'],
    ],
    settings: [],
  },
  demo: {
    examples: [
      ['order-sync demo', 'see it work, without a shop'],
      ['order-sync demo --keep', 'and query the result with psql'],
    ],
    settings: [],
  },
  completion: {
    examples: [
      ['source <(order-sync completion bash)', 'in ~/.bashrc'],
      ['source <(order-sync completion zsh)', 'in ~/.zshrc, after compinit'],
      ['order-sync completion fish | source', 'in ~/.config/fish/config.fish'],
    ],
    settings: [],
  },
};

/** No more than a line of 80 columns each. */
export const SETTING_MEANINGS = {
  SHOP_URL: 'address of the shop',
  SHOP_LOGIN: 'administrator login of its API',
  SHOP_API_KEY: 'API key; SHOP_API_KEY_FILE names a file with it',
  SHOP_TIMEZONE: "zone of the shop's times, such as Europe/Berlin",
  SHOP_HISTORY_FROM: 'first day to load; default: all there are',
  SHOP_MAX_RPS: 'requests per second; default: 10',
  SHOP_MAX_CONCURRENCY: 'requests at once; default: 4',
  SHOPS_FILE: 'a file with several shops, in place of SHOP_…',
  DATABASE_URL: 'PostgreSQL; default: an embedded one in .order-sync/',
  FRESHNESS: 'how often days are verified, by their age',
  SYNC_BUDGET: 'time after which a sync begins nothing new; default: 4m',
  SYNC_CRON: 'when the worker looks for what is due; default: each minute',
  ALERT_WEBHOOK_URL: 'where alerts are sent',
  PORT: 'port of the status page and the metrics; default: 8080',
  OPS_PASSWORD: 'password of the status page and the metrics',
  OPS_HOSTS: 'names they are reached by, besides localhost and addresses',
  PII_MODE: 'pseudonymize: no person is stored',
  PII_SECRET: 'secret of the hashes that stand for guests',
} as const;

/** Adds examples and settings to the help of all commands of the program. */
export function addHelp(program: Command, path = ''): void {
  for (const command of program.commands) {
    const name = `${path} ${command.name()}`.trim();
    const text = helpText(name);
    if (text !== '') command.addHelpText('after', text);
    addHelp(command, name);
  }
}

function helpText(name: string): string {
  const { examples = [], settings = [] } = HELP[name] ?? {};
  const width = Math.max(0, ...settings.map((setting) => setting.length));
  const lines = [
    ...(examples.length > 0 ? ['', 'Examples:'] : []),
    ...examples.flatMap(([line, meaning]) => [`  ${line}`, `      ${meaning}`]),
    ...(settings.length > 0 ? ['', 'Settings (environment variables, or lines of order-sync.env):'] : []),
    ...settings.map((setting) => `  ${setting.padEnd(width)}  ${SETTING_MEANINGS[setting]}`),
  ];
  return lines.join('\n');
}
