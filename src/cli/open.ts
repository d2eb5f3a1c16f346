import { readFileSync } from 'node:fs';

import { pino } from 'pino';

import { type Config, parseConfig, type ShopConfig } from '../config.ts';
import { ConfigError, UsageError } from '../errors.ts';
import { createShopApi, type ShopApi } from '../shop-api/client.ts';
import type { Logger } from '../sync/deps.ts';
import type { ShopContext } from '../sync/run-shop.ts';
import { VERSION } from '../version.ts';
import { type Database, openDatabase } from '../warehouse/database.ts';
import { openEmbedded } from '../warehouse/embedded/open-embedded.ts';
import { runMigrations } from '../warehouse/migrate.ts';
import type { CliContext } from './io.ts';

const readFile = (path: string) => readFileSync(path, 'utf8');

/** Settings of a command that needs no shop. @throws ConfigError */
export function configOf(context: CliContext): Config {
  return parseConfig({ env: context.env, readFile }, { shop: false });
}

/**
 * Settings of a command that reads a shop.
 *
 * @param wanted the `--shop` of the command line
 * @throws ConfigError
 */
export function shopConfigOf(context: CliContext, wanted?: string): Config & { readonly shop: ShopConfig } {
  const { shop, ...config } = parseConfig({ env: context.env, readFile }, { shop: true });
  if (shop === undefined) throw new ConfigError(['no shop is configured']);
  if (wanted !== undefined && wanted !== shop.shopKey) {
    throw new UsageError(
      `--shop ${wanted} is not configured; the configured shop is ${shop.shopKey} (SHOP_KEY)`,
    );
  }
  return { ...config, shop };
}

export type OpenWarehouse = Database & {
  /** For other programs; holds the password. */
  readonly url: string;
  /** How to open it with psql, where it is the embedded one. */
  readonly psql: string | undefined;
  readonly migrationsApplied: number;
};

/** Opens the configured database, or the embedded one, and applies the migrations that it lacks. */
export async function openWarehouse(
  context: CliContext,
  config: Pick<Config, 'databaseUrl'>,
): Promise<OpenWarehouse> {
  await using opened = new AsyncDisposableStack();
  const embedded =
    config.databaseUrl === undefined
      ? opened.use(await openEmbedded({ directory: context.directory }))
      : undefined;
  if (embedded) context.io.err(`Embedded PostgreSQL in .order-sync/. While this runs: ${embedded.psql}\n`);
  const url = embedded?.url ?? config.databaseUrl ?? '';
  const database = opened.use(await openDatabase(url));
  const migrationsApplied = await runMigrations(database, (sentence) => context.io.err(`${sentence}\n`));
  const held = opened.move();
  return {
    ...database,
    url,
    psql: embedded?.psql,
    migrationsApplied,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** A configured shop with all that a run over it needs; the database is closed with it. */
export type OpenShop = AsyncDisposable & { readonly run: ShopContext };

/** Opens the warehouse and a client for the configured shop. @throws ConfigError */
export async function openShop(context: CliContext, wanted: string | undefined): Promise<OpenShop> {
  const { shop, ...config } = shopConfigOf(context, wanted);
  const warehouse = await openWarehouse(context, config);
  const parts = { api: apiOf(shop), db: warehouse.db, shop, logger: loggerOf(context, config) };
  const run = { ...parts, now: () => Temporal.Now.instant(), signal: context.signal, version: VERSION };
  return { run, [Symbol.asyncDispose]: () => warehouse[Symbol.asyncDispose]() };
}

export function apiOf(shop: ShopConfig): ShopApi {
  return createShopApi(shop);
}

/** Log lines as JSON on standard error. A person who watches a bar is told of warnings only. */
export function loggerOf(context: CliContext, config: Pick<Config, 'logLevel'>): Logger {
  const level = config.logLevel ?? (context.io.isTerminal ? 'warn' : 'info');
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write: context.io.err });
}
