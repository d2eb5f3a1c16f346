import { sql } from 'drizzle-orm';

import type { Config } from '../../config/load-config.ts';
import { ConfigError } from '../../errors.ts';
import { profileColumns, toPageProfile } from '../../sync/run/shop-state.ts';
import { listedClockWarning } from '../../sync/sweep/clock-warning.ts';
import { describeFindings, learnApi } from '../../sync/report/learn-api.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import { unknownProfile, withLimit } from '../../shop-api/paging/page-profile.ts';
import { assertSameZone, findShop } from '../../warehouse/directory/registered-shops.ts';
import { readShopState, updateShopState } from '../../warehouse/ops/stored-shop-state.ts';
import { createWebhook } from '../../worker/alerts/webhook.ts';
import { forEachShop, type OpenShop, worse } from '../each-shop.ts';
import { type CliContext, EXIT, type ExitCode } from '../output/io.ts';
import { readShopsConfig } from '../open.ts';

export type CheckOptions = { readonly shop?: string; readonly json?: boolean; readonly alert?: boolean };

/**
 * `check`: tests settings, database and credentials, and shows how the shop's API behaves. What it learns is saved if the
 * shop is registered; it registers none. With `--alert` it first sends a test alert.
 */
export async function checkCommand(context: CliContext, options: CheckOptions): Promise<ExitCode> {
  const config = readShopsConfig(context, options.shop);
  const print = createPrinter(context, options);
  for (const { shopKey, baseUrl, timezone } of config.shops) {
    print(`Settings: ok, shop ${shopKey} at ${new URL(baseUrl).host}, zone ${timezone}`);
  }
  const alerted = options.alert === true ? await checkAlert(context, options, config) : EXIT.done;
  return worse(
    alerted,
    await forEachShop(context, config, options, (opened) => checkOne(context, options, opened)),
  );
}

/** Sends a test alert, whatever the shops are like. */
async function checkAlert(context: CliContext, options: CheckOptions, config: Config): Promise<ExitCode> {
  const { alertFormat: format, alertWebhookUrl: url } = config;
  if (url === undefined) throw new ConfigError(['ALERT_WEBHOOK_URL is not set, so there is nobody to alert']);
  const at = Temporal.Now.instant().toString();
  const text = 'order-sync: this is a test alert; alerts about shops will arrive here.';
  const note = { id: `test-${at}`, shop: null, cause: null, event: 'test', at, text } as const;
  const failure = await createWebhook({ url, format })(note, context.signal);
  const result = failure === undefined ? 'ok, the webhook took it' : `not delivered: ${failure.problem}`;
  createPrinter(context, options)(`Test alert: ${result}`);
  if (options.json === true) {
    context.io.out(
      `${JSON.stringify({ alert: failure === undefined ? 'ok' : 'failed', problem: failure?.problem ?? null })}\n`,
    );
  }
  return failure === undefined ? EXIT.done : EXIT.failed;
}

async function checkOne(
  context: CliContext,
  options: CheckOptions,
  { run: { api, db }, shop, isOneOfMany }: OpenShop,
): Promise<ExitCode> {
  const print = createPrinter(context, options);
  if (isOneOfMany) print(`Shop ${shop.shopKey}`);
  const { rows } = await db.execute<{ version: string }>(
    sql`SELECT current_setting('server_version') AS version`,
  );
  print(`Database: ok, PostgreSQL ${rows[0]?.version}`);
  const stored = await findShop(db, shop.shopKey);
  if (stored) assertSameZone(shop.shopKey, stored.timezone, shop.timezone);
  const state = stored && (await readShopState(db, stored.shopId));
  const known = state ? withLimit(toPageProfile(state), shop.pageLimit) : unknownProfile(shop.pageLimit);
  const now = Temporal.Now.instant();
  const today = now.toZonedDateTimeISO(shop.timezone).toPlainDate();
  const findings = await learnApi(api, shop, known, today, context.signal);
  if (state) await updateShopState(db, state.shop_id, profileColumns(findings.profile), now);
  print('Shop: ok, it accepts the login and API key');
  for (const line of [...describeFindings(findings), charsetLine(api.charset)]) print(`  ${line}`);
  const warning = await listedClockWarning(api, shop, now, context.signal);
  if (warning !== undefined) print(`Warning: ${warning}.`);
  if (options.json === true) {
    const found = { ...findings, historyFrom: findings.historyFrom.toString() };
    const plain = { ...found, charset: api.charset?.name ?? null, clock_warning: warning ?? null };
    context.io.out(`${JSON.stringify({ shop: shop.shopKey, postgres: rows[0]?.version, ...plain })}\n`);
  }
  return EXIT.done;
}

function charsetLine(charset: ShopApi['charset']): string {
  if (charset === undefined) return 'Text: only ASCII seen so far; the charset is not known yet';
  const proofs: Readonly<Record<NonNullable<ShopApi['charset']>['by'], string>> = {
    'byte order mark': 'by its byte order mark',
    header: 'by its Content-Type header',
    bytes: 'by its bytes',
    setting: 'set by SHOP_CHARSET',
  };
  return `Text: ${charset.name}, ${proofs[charset.by]}`;
}

/** Prints lines for people; with `--json` there is one document at the end. */
function createPrinter({ io }: CliContext, options: CheckOptions): (line: string) => void {
  return (line) => options.json !== true && io.out(`${line}\n`);
}
