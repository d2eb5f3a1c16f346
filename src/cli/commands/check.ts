import { sql } from 'drizzle-orm';

import { profileColumns, toPageProfile } from '../../sync/run/shop-state.ts';
import { listedClockWarning } from '../../sync/sweep/clock-warning.ts';
import { describeFindings, learnApi } from '../../sync/report/learn-api.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import { unknownProfile, withLimit } from '../../shop-api/paging/page-profile.ts';
import { assertSameZone, findShop } from '../../warehouse/directory/registered-shops.ts';
import { readShopState, updateShopState } from '../../warehouse/ops/stored-shop-state.ts';
import { forEachShop, type OpenShop } from '../each-shop.ts';
import { type CliContext, EXIT, type ExitCode } from '../output/io.ts';
import { shopsConfigOf } from '../open.ts';

export type CheckOptions = { readonly shop?: string; readonly json?: boolean };

/**
 * `check`: settings, database and credentials, and how the shop's API behaves. What it learned is kept where the
 * shop is registered already; it registers none.
 */
export async function checkCommand(context: CliContext, options: CheckOptions): Promise<ExitCode> {
  const config = shopsConfigOf(context, options.shop);
  const say = sayer(context, options);
  for (const { shopKey, baseUrl, timezone } of config.shops) {
    say(`Settings: ok, shop ${shopKey} at ${new URL(baseUrl).host}, zone ${timezone}`);
  }
  return forEachShop(context, config, options, (opened) => checkOne(context, options, opened));
}

async function checkOne(
  context: CliContext,
  options: CheckOptions,
  { run: { api, db }, shop, isOneOfMany }: OpenShop,
): Promise<ExitCode> {
  const say = sayer(context, options);
  if (isOneOfMany) say(`Shop ${shop.shopKey}`);
  const { rows } = await db.execute<{ version: string }>(
    sql`SELECT current_setting('server_version') AS version`,
  );
  say(`Database: ok, PostgreSQL ${rows[0]?.version}`);
  const stored = await findShop(db, shop.shopKey);
  if (stored) assertSameZone(shop.shopKey, stored.timezone, shop.timezone);
  const state = stored && (await readShopState(db, stored.shopId));
  const known = state ? withLimit(toPageProfile(state), shop.pageLimit) : unknownProfile(shop.pageLimit);
  const now = Temporal.Now.instant();
  const today = now.toZonedDateTimeISO(shop.timezone).toPlainDate();
  const findings = await learnApi(api, shop, known, today, context.signal);
  if (state) await updateShopState(db, state.shop_id, profileColumns(findings.profile), now);
  say('Shop: ok, it accepts the login and API key');
  for (const line of [...describeFindings(findings), charsetLine(api.charset)]) say(`  ${line}`);
  const warning = await listedClockWarning(api, shop, now, context.signal);
  if (warning !== undefined) say(`Warning: ${warning}.`);
  if (options.json === true) {
    const found = { ...findings, historyFrom: findings.historyFrom.toString() };
    const plain = { ...found, charset: api.charset?.name ?? null, clock_warning: warning ?? null };
    context.io.out(`${JSON.stringify({ shop: shop.shopKey, postgres: rows[0]?.version, ...plain })}\n`);
  }
  return EXIT.done;
}

/** What the shop writes in, and how that is known. */
function charsetLine(charset: ShopApi['charset']): string {
  if (charset === undefined)
    return 'Text: nothing beyond ASCII was seen, so that the charset is not known yet';
  const proofs: Readonly<Record<NonNullable<ShopApi['charset']>['by'], string>> = {
    'byte order mark': 'by its byte order mark',
    header: 'as its answers say',
    bytes: 'by its bytes',
    setting: 'as SHOP_CHARSET says',
  };
  return `Text: ${charset.name}, ${proofs[charset.by]}`;
}

/** For people; a machine gets one document at the end. */
function sayer({ io }: CliContext, options: CheckOptions): (line: string) => void {
  return (line) => options.json !== true && io.out(`${line}\n`);
}
