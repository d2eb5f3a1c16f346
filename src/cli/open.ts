import { readFileSync } from 'node:fs';

import { pino } from 'pino';

import { type Config, loadConfig } from '../config/load-config.ts';
import { UsageError } from '../errors.ts';
import { createShopApi, type ShopApi } from '../shop-api/shop-api.ts';
import type { ShopConfig } from '../config/shop-settings.ts';
import type { Logger, ShopContext } from '../sync/run/context.ts';
import { VERSION } from '../version.ts';
import { type Database, openDatabase } from '../warehouse/db/database.ts';
import { openEmbedded } from '../embedded-postgres/open-embedded.ts';
import { type LockWait, lockWaitText, watchLockWaits } from '../warehouse/db/lock-waits.ts';
import { type MigrationResult, runMigrations } from '../warehouse/db/run-migrations.ts';
import type { CliContext } from './output/io.ts';

const readFile = (path: string) => readFileSync(path, 'utf8');

/** Settings of a command that needs no shop. @throws ConfigError */
export function configOf(context: CliContext): Config {
  return loadConfig({ env: context.env, readFile }, { shop: false });
}

/**
 * Settings of a command that reads shops.
 *
 * @param wanted the `--shop` of the command line; leaves the others out
 * @throws ConfigError; UsageError when no such shop is configured
 */
export function shopsConfigOf(context: CliContext, wanted?: string): Config {
  const config = loadConfig({ env: context.env, readFile }, { shop: true });
  if (wanted === undefined) return config;
  const shops = config.shops.filter(({ shopKey }) => shopKey === wanted);
  if (shops.length > 0) return { ...config, shops };
  throw new UsageError(`--shop ${wanted} is not configured; ${configuredText(config)}`);
}

/** The one shop of a command that can take one only. @throws ConfigError; UsageError when `--shop` is needed */
export function oneShopOf(context: CliContext, wanted: string | undefined): ShopConfig {
  const config = shopsConfigOf(context, wanted);
  const [shop, ...others] = config.shops;
  if (shop === undefined || others.length > 0) {
    throw new UsageError(`--shop KEY is needed to choose one; ${configuredText(config)}`);
  }
  return shop;
}

function configuredText({ shops }: Config): string {
  const keys = shops.map(({ shopKey }) => shopKey).join(', ');
  return shops.length === 1 ? `the configured shop is ${keys}` : `the configured shops are ${keys}`;
}

export type OpenWarehouse = Database & {
  /** For other programs; holds the password. */
  readonly url: string;
  /** How to open it with psql, where it is the embedded one. */
  readonly psql: string | undefined;
  readonly migrated: MigrationResult;
};

/**
 * Opens the configured database, or the embedded one, and applies the migrations that it lacks.
 *
 * @param maxConnections kept open at once, at most; one sweep needs no more than the default
 */
export async function openWarehouse(
  context: CliContext,
  config: Pick<Config, 'databaseUrl' | 'logLevel'>,
  maxConnections?: number,
): Promise<OpenWarehouse> {
  await using opened = new AsyncDisposableStack();
  const embedded =
    config.databaseUrl === undefined
      ? opened.use(await openEmbedded({ directory: context.directory }))
      : undefined;
  if (embedded) context.io.err(`Embedded PostgreSQL in .order-sync/. While this runs: ${embedded.psql}\n`);
  const url = embedded?.url ?? config.databaseUrl ?? '';
  const database = opened.use(await openDatabase(url, maxConnections));
  opened.use(watchLockWaits(database, (wait) => tellLockWait(context, config, wait)));
  const migrated = await runMigrations(database, (sentence) => context.io.err(`${sentence}\n`));
  const held = opened.move();
  return {
    ...database,
    url,
    psql: embedded?.psql,
    migrated,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

function tellLockWait(context: CliContext, config: Pick<Config, 'logLevel'>, wait: LockWait): void {
  if (context.io.isTerminal) context.io.err(`${lockWaitText(wait)}\n`);
  else loggerOf(context, config).warn({ ...wait }, 'waiting for a lock');
}

/** All that a run over a shop needs, in an open warehouse. */
export function runOf(
  context: CliContext,
  config: Pick<Config, 'logLevel'>,
  { db }: Pick<Database, 'db'>,
  shop: ShopConfig,
): ShopContext {
  const parts = { api: apiOf(shop), db, shop, logger: loggerOf(context, config) };
  return { ...parts, now: () => Temporal.Now.instant(), signal: context.signal, version: VERSION };
}

export function apiOf(shop: ShopConfig): ShopApi {
  return createShopApi(shop);
}

/** Log lines as JSON on standard error. A person who watches a bar is told of warnings only. */
export function loggerOf(context: CliContext, config: Pick<Config, 'logLevel'>): Logger {
  const level = config.logLevel ?? (context.io.isTerminal ? 'warn' : 'info');
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write: context.io.err });
}
