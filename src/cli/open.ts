import { existsSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';

import { type Config, loadConfig } from '../config/load-config.ts';
import { Environment } from '../config/environment.ts';
import { ConfigError, TerminalError, UsageError } from '../model/errors.ts';
import { nextStep } from '../model/next-step.ts';
import { type Database, openDatabase } from '../warehouse/db/database.ts';
import { openEmbedded } from '../embedded-postgres/open-embedded.ts';
import { runMigrations } from '../warehouse/db/migrations.ts';
import { createLogger } from './log.ts';
import { type CliContext, note } from './output/io.ts';
import { findConfigFile } from './settings-file.ts';

export const readFile = (path: string) => readFileSync(path, 'utf8');

/** The settings, for a command that needs no shop. @throws ConfigError */
export function readConfig(context: CliContext): Config {
  return loadConfig({ env: context.env, readFile }, { shop: false });
}

export type OpenWarehouse = Database & {
  /** For other programs; holds the password. */
  readonly url: string;
  /** For connections of our own: a password that is a file is read again. */
  readonly currentUrl: () => string;
  /** Names of the migrations, functions and views that were applied. */
  readonly migrated: readonly string[];
};

/** For one sweep. */
const ENOUGH_CONNECTIONS = 9;

/** Opens the configured or the embedded database, and applies pending migrations. */
export async function openWarehouse(
  context: CliContext,
  config: Pick<Config, 'databaseUrl' | 'databaseConnections' | 'logLevel'> = readConfig(context),
  maxConnections = Math.min(ENOUGH_CONNECTIONS, config.databaseConnections),
): Promise<OpenWarehouse> {
  await using opened = new AsyncDisposableStack();
  if (config.databaseUrl === undefined) assertShopIsSet(context);
  const embedded =
    config.databaseUrl === undefined
      ? opened.use(await openEmbedded({ directory: context.directory }))
      : undefined;
  const url = embedded?.url ?? config.databaseUrl ?? '';
  const currentUrl = () => (embedded ? url : withCurrentPassword(context, url));
  const onLockWait = (reason: string) =>
    createLogger(context, config).warn({ reason }, 'waiting for a lock in the database');
  const database = opened.use(await openDatabase(currentUrl, maxConnections, 'order-sync', { onLockWait }));
  const migrated = await runMigrations(database, {
    mends: context.flags.command === 'migrate',
    onRefused: (statements) => note(context, refusedText(statements)),
  });
  const kept = opened.move();
  return {
    ...database,
    url,
    currentUrl,
    migrated,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function refusedText(statements: readonly string[]): string {
  return [
    'The user of DATABASE_URL may not set up all roles. As an administrator, run in its database:',
    ...statements.map((statement) => `  ${statement}`),
    `Then run \`${nextStep('apply migrations')}\` again.\n`,
  ].join('\n');
}

/** Whether a command before has made the embedded database. */
const hasEmbedded = ({ directory }: CliContext) => existsSync(join(directory, '.order-sync'));

export function isAnyShopSet({ env }: CliContext): boolean {
  const environment = new Environment({ env, readFile });
  return ['SHOP_URL', 'SHOPS_FILE'].some((name) => environment.isSet(name));
}

/** Without any settings there is nothing to read, and a database that were made now would say nothing. @throws ConfigError */
function assertShopIsSet(context: CliContext): void {
  if (hasEmbedded(context) || isAnyShopSet(context)) return;
  const { path } = findConfigFile(context);
  const where = existsSync(path) ? `${path} sets` : `${path} does not exist, and the environment sets`;
  throw new ConfigError([
    `${where} neither DATABASE_URL nor SHOP_URL; run this command in the folder of your settings`,
  ]);
}

/** A separate database, recreated each time, so that a demo never mixes with real orders; demos that run at the same time get others. */
export const DEMO_DATABASE = 'order_sync_demo';

const NO_DEMO = `there is no demo in this folder yet; ${nextStep('try without shop')} creates it`;

/** Opens what the last `demo` left in the embedded database. @throws UsageError when there was none */
export async function openDemoDatabase(context: CliContext): Promise<Database> {
  if (!hasEmbedded(context)) throw new UsageError(NO_DEMO);
  await using opening = new AsyncDisposableStack();
  const embedded = opening.use(await openEmbedded({ directory: context.directory }));
  const url = Object.assign(new URL(embedded.url), { pathname: `/${DEMO_DATABASE}` });
  try {
    const database = opening.use(await openDatabase(url.href));
    const opened = opening.move();
    return { ...database, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  } catch (error) {
    const isAbsent = error instanceof TerminalError && Reflect.get(Object(error.cause), 'code') === '3D000';
    throw isAbsent ? new UsageError(NO_DEMO, { cause: error }) : error;
  }
}

/**
 * The address with the password that the settings have by now. Whatever else changed in them waits for the next start: the
 * connections of a process all lead to one database, whose leases it holds.
 */
function withCurrentPassword(context: CliContext, url: string): string {
  try {
    const { password } = new URL(readConfig(context).databaseUrl ?? url);
    return Object.assign(new URL(url), { password }).href;
  } catch (error) {
    // The settings are wrong, as while a file is being replaced.
    if (error instanceof ConfigError) return url;
    throw error;
  }
}

/** Resolves when the process is interrupted, and keeps it alive until then. */
export async function untilInterrupted(signal: AbortSignal): Promise<void> {
  using _alive = setInterval(() => undefined, 60_000);
  if (!signal.aborted) await once(signal, 'abort');
}
