/** What stands for the reader's own in documented commands, and what they must print and leave behind. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'vitest';

import { inDatabase, withClient } from '../support/database-clients.ts';
import type { World } from './documented-world.ts';

/** A buyer of the simulated shop, as the documentation calls one. */
export const PERSON = 'ivan@mail.example';
/** The first order of the simulated shop has a code of the shop's own, as in the documentation. */
export const OWN_CODE = 'W7';

/** In this order. */
export function substitutions(world: World): readonly (readonly [string | RegExp, string])[] {
  const { simulator, warehouseUrl } = world;
  const settings =
    `SHOP_URL=${simulator.url} SHOP_LOGIN=admin SHOP_API_KEY=simulated-key ` +
    'SHOP_TIMEZONE=Europe/Berlin SHOP_MAX_RPS=500';
  const asWorker = warehouseUrl.replace(/\/\/[^@]+@/, '//worker:$(cat secrets/worker-password)@');
  return [
    [/npm run (--silent )?order-sync --/, 'order-sync'],
    // The usual port may be in use.
    [/^order-sync simulate .*/, '$& --port 0'],
    // The questions are asked on a terminal in test/cli/init.e2e.test.ts.
    [/^order-sync init/, `${settings} order-sync init --from-env`],
    [/^order-sync check shop\.example$/, `order-sync check ${simulator.url}`],
    ['postgres://owner@host/warehouse', warehouseUrl],
    ['postgres://worker@host/warehouse', asWorker],
    ['/opt/order-sync', world.folder],
    ['/etc/order-sync.env', join(world.folder, 'secrets/order-sync.env')],
    [/ HELP$/, ' --help'],
    [/^order-sync (sql|forget|db login)$/, 'order-sync $1 --help'],
    ["shop_key = 'demo'", "shop_key = 'default'"],
    ["'bi.name'", "'bi.orders'"],
    // Other pages need them.
    ["SET shop_key = 'south'", "SET shop_key = 'default'"],
    [/^TRUNCATE .*/, 'BEGIN; $&; ROLLBACK'],
    [/\bnorth\b/, 'default'],
    [/ 100017$/, ` ${simulator.shop.orders()[2]?.orderId ?? ''}`],
    [/:'email'/g, `'${PERSON}'`],
    [/:'phone'/g, "'9165551234'"],
  ];
}

/** Commands that go on until Ctrl-C, and what they print before. */
export const ENDLESS: readonly (readonly [RegExp, RegExp])[] = [
  [/order-sync worker$/, /worker started/],
  [/order-sync db$/, /until you press Ctrl-C/],
  [/order-sync -- simulate/, /Press Ctrl-C/],
];

type Rule = {
  /** A part of the command. */
  readonly of: string | RegExp;
  /** On either output. */
  readonly prints?: RegExp;
  readonly before?: (world: World) => Promise<void>;
  readonly after?: (world: World) => Promise<void>;
};

const count = async ({ client }: World, query: string) =>
  (await client.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${query}`)).rows[0]?.count;

async function expectLogin(world: World, name: string, database: string, query: string): Promise<void> {
  const password = (await readFile(join(world.folder, `secrets/${name}-password`), 'utf8')).trim();
  const url = new URL(inDatabase(world.databaseUrl, database));
  [url.username, url.password] = [name, password];
  await withClient(url.href, (client) => client.query(query));
}

export const RULES: readonly Rule[] = [
  { of: /^order-sync init$/, prints: /60 orders; [^]*Next: order-sync backfill\n/ },
  { of: /^order-sync backfill$/, prints: /\d+ of \d+ due days verified/ },
  { of: /^order-sync status$/, prints: /^Shop default[^]*Orders +60 / },
  { of: /sql "SELECT .* daily_sales ORDER BY/, prints: /revenue/ },
  {
    of: '> sales.csv',
    before: ({ folder }) => writeFile(join(folder, 'sales.sql'), 'SELECT count(*) AS orders FROM orders'),
    after: async ({ folder }) =>
      expect(await readFile(join(folder, 'sales.csv'), 'utf8')).toMatch(/^orders\r?\n60\r?\n$/),
  },
  {
    of: 'export --to lake',
    prints: /lake: \d+ files written/,
    after: async ({ folder }) => expect(await readdir(join(folder, 'lake'))).toContain('manifest.json'),
  },
  { of: 'order-sync -- simulate --weird', prints: /export SHOP_URL=http/ },
  { of: /order-sync db$/, prints: /^postgres:\/\/[^]*psql/ },
  {
    of: '-f deploy/worker-login.sql',
    after: (world) => expectLogin(world, 'worker', 'warehouse', 'DELETE FROM core.orders'),
  },
  {
    of: 'db login bi --password-file',
    after: (world) => expectLogin(world, 'bi', 'order_sync', 'SELECT FROM bi.orders'),
  },
  {
    of: 'REVOKE TEMPORARY',
    after: async (world) => {
      await expectLogin(world, 'bi', 'order_sync', 'SELECT FROM bi.orders');
      // As the page says of a login that keeps copies.
      await world.client.query('GRANT TEMPORARY ON DATABASE order_sync TO PUBLIC');
    },
  },
  { of: 'pause north', prints: /order-sync shops resume default/ },
  { of: 'resume north', prints: /is synced again/ },
  { of: '--dry-run', prints: /\borders\b/, after: (world) => expectStored(world, true) },
  { of: /forget --email \S+$/, after: (world) => expectStored(world, false) },
  {
    of: '-f deploy/replication.sql',
    after: async (world) => expect(await count(world, "pg_publication WHERE pubname = 'order_sync'")).toBe(1),
  },
  {
    of: 'DROP SCHEMA IF EXISTS',
    // The roles belong to the whole server.
    before: ({ databaseUrl }) =>
      withClient(inDatabase(databaseUrl, 'postgres'), async (client) => {
        await client.query('DROP DATABASE warehouse WITH (FORCE)');
      }),
  },
  { of: 'DROP ROLE IF EXISTS bi, worker', after: expectUninstalled },
  {
    of: '.order-sync/location',
    before: async (world) => {
      await world.stopDatabase();
      const { folder } = world;
      await mkdir(join(folder, 'elsewhere'));
      await writeFile(join(folder, '.order-sync/location'), `${join(folder, 'elsewhere')}\n`);
    },
  },
  { of: 'rm -rf .order-sync', after: expectNoFiles },
];

async function expectStored(world: World, isStored: boolean): Promise<void> {
  const orders = await count(world, `core.order_persons WHERE buyer_email = '${PERSON}'`);
  expect(orders).toBe(isStored ? 1 : 0);
}

async function expectUninstalled({ client }: World): Promise<void> {
  const schemas = await client.query(
    `SELECT nspname AS name FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$)' ORDER BY 1`,
  );
  expect(schemas.rows).toEqual([{ name: 'copies' }, { name: 'mine' }, { name: 'public' }]);
  expect((await client.query('SELECT thing FROM mine.things')).rows).toEqual([{ thing: 1 }]);
  // The owner of the embedded PostgreSQL, and logins that somebody made: for a person, and for copies.
  const roles = await client.query(`SELECT rolname AS name FROM pg_roles WHERE rolname !~ '^pg_' ORDER BY 1`);
  expect(roles.rows).toEqual([{ name: 'anna' }, { name: 'copier' }, { name: 'order_sync' }]);
  expect((await client.query('SELECT FROM pg_publication')).rowCount).toBe(0);
}

/** What is left is what the reader had, and wrote. */
async function expectNoFiles({ folder, databaseUrl }: World): Promise<void> {
  const kept = ['.env', '.env.example', 'bin', 'deploy', 'docs', 'lake', 'sales.csv', 'sales.sql', 'secrets'];
  expect((await readdir(folder)).toSorted()).toEqual(kept.toSorted());
  await expect(withClient(databaseUrl, (client) => client.query('SELECT'))).rejects.toThrow('ECONNREFUSED');
}
