import { asideJson } from '../../../sync/report/shop-report.ts';
import { paceText } from '../../../sync/report/shown-figures.ts';
import { currentThrottle, foundPace, toThrottleState } from '../../../sync/run/throttle-state.ts';
import { sql } from 'drizzle-orm';

import { counted, duration, grouped, utcText } from '../../../model/amount-text.ts';
import type { ShopConfig } from '../../../config/shop-config.ts';
import type { Config } from '../../../config/load-config.ts';
import { ConfigError } from '../../../model/errors.ts';
import { type NextStep, nextStep } from '../../../model/next-step.ts';
import { profileColumns, toAudit, toPageProfile } from '../../../sync/run/shop-state.ts';
import { findSurplus } from '../../../plan/days/audit-due.ts';
import { listedClockWarning } from '../../../sync/sweep/clock-warning.ts';
import {
  type ApiFindings,
  describeFindings,
  estimateRest,
  learnApi,
} from '../../../sync/report/learn-api.ts';
import { hiddenFieldsProblem } from '../../../sync/report/shop-problems.ts';
import type { ShopApi } from '../../../shop-api/shop-api.ts';
import { besideSentence } from '../../../shop-api/wire/read-document.ts';
import { unknownProfile, withLimit } from '../../../shop-api/paging/page-profile.ts';
import { assertSameZone, findShop } from '../../../warehouse/directory/registered-shops.ts';
import { readHiddenFields } from '../../../warehouse/ops/payload-fields.ts';
import { readSetAside } from '../../../warehouse/ops/due.ts';
import { readShopState, updateShopState } from '../../../warehouse/ops/stored-shop-state.ts';
import { countLiveOrders } from '../../../warehouse/orders/live-orders.ts';
import { openWebhook } from '../../alert-webhook.ts';
import { forEachShop, type OpenShop } from '../../each-shop.ts';
import { type CliContext, EXIT, type ExitCode, printResult, worse } from '../../output/io.ts';
import { readShopsConfig } from '../../open.ts';
import type { Given } from '../../options.ts';
import { describeLoad } from '../../output/describe-load.ts';
import { nextCommand } from '../../output/command-name.ts';
import { wrapLines } from '../../output/display-text.ts';
import { shopAt, tryAddress, withScheme } from '../setup/init-trial.ts';

type CheckOptions = Given<'shop', 'alert'>;

/**
 * `check`: tests settings, database and credentials, and shows how the shop's API behaves. What it learns is saved if the
 * shop is registered; it registers none. With `--alert` it first sends a test alert.
 */
export async function checkCommand(
  context: CliContext,
  url: string | undefined,
  options: CheckOptions,
): Promise<ExitCode> {
  if (url !== undefined) return checkAddress(context, url);
  const config = readShopsConfig(context, options.shop);
  const print = createPrinter(context);
  for (const { shopKey, baseUrl, timezone } of config.shops) {
    print(`Settings: ok, shop ${shopKey} at ${new URL(baseUrl).host}, zone ${timezone}`);
  }
  const alerted = options.alert === true ? await checkAlert(context, config) : EXIT.done;
  const checked: Checked[] = [];
  const code = await forEachShop(context, config, (opened) => checkOne(context, opened, checked));
  if (code === EXIT.done) print(nextText(context, options, checked));
  return worse(alerted, code);
}

/** What the next step depends on. */
type Checked = { readonly warning: string | undefined; readonly isLoaded: boolean };

function nextText({ env, flags }: CliContext, { shop }: CheckOptions, checked: readonly Checked[]): string {
  const command = (step: NextStep) => nextCommand({ env, shop, config: flags.config }, step);
  if (checked.some(({ warning }) => warning !== undefined)) {
    return `Next: see to the warning, then ${command('check shop')}`;
  }
  return checked.every(({ isLoaded }) => isLoaded)
    ? `Next: ${command('sync due days')}, every few minutes, or leave ${command('keep synced')} running`
    : `Next: ${command('load shop')}`;
}

/** Sends a test alert, whatever the shops are like. */
async function checkAlert(context: CliContext, config: Config): Promise<ExitCode> {
  const webhook = openWebhook(config);
  if (webhook === undefined)
    throw new ConfigError(['ALERT_WEBHOOK_URL is not set, so there is nobody to alert']);
  const at = Temporal.Now.instant().toString();
  const text = 'order-sync: this is a test alert; alerts about shops will arrive here.';
  const note = { id: `test-${at}`, shop: null, cause: null, event: 'test', at, text } as const;
  const failure = await webhook(note, context.signal);
  const document = {
    shop: null,
    status: failure === undefined ? 'ok' : 'failed',
    error: failure?.problem ?? null,
    alert: 'test',
  };
  const result = failure === undefined ? 'ok, the webhook took it' : `not delivered: ${failure.problem}`;
  printResult(context, [document], `Test alert: ${result}\n`);
  return failure === undefined ? EXIT.done : EXIT.failed;
}

async function checkOne(
  context: CliContext,
  { run: { api, db }, shop, isOneOfMany }: OpenShop,
  checked: Checked[],
): Promise<ExitCode> {
  const print = createPrinter(context);
  if (isOneOfMany) print(`Shop ${shop.shopKey}`);
  const { rows } = await db.execute<{ version: string }>(
    sql`SELECT current_setting('server_version') AS version`,
  );
  const postgres = rows[0]?.version ?? 'unknown';
  print(`Database: ok, PostgreSQL ${postgres}`);
  const stored = await findShop(db, shop.shopKey);
  if (stored) assertSameZone(shop.shopKey, stored.timezone, shop.timezone);
  const state = stored && (await readShopState(db, stored.shopId));
  const known = state ? withLimit(toPageProfile(state), shop.pageLimit) : unknownProfile(shop.pageLimit);
  const now = Temporal.Now.instant();
  const today = now.toZonedDateTimeISO(shop.timezone).toPlainDate();
  api.resume(foundPace(state && toThrottleState(state)));
  const findings = await learnApi(api, shop, known, today, context.signal);
  if (state) await updateShopState(db, state.shop_id, profileColumns(findings.profile), now);
  print('Shop: ok, it accepts the login and API key');
  for (const line of [...describeFindings(findings), ...textLines(api)]) print(`  ${line}`);
  const aside = asideJson(stored ? await readSetAside(db, [stored.shopId], now) : []);
  print(`  ${countsLine(shop, findings.profile.totalMeaning === 'other', aside.length)}`);
  for (const { facet, reason, until } of aside)
    print(`    ${facet}: ${reason}; not asked before ${utcText(Temporal.Instant.from(until))}`);
  const warning = await listedClockWarning(api, shop, now, context.signal);
  if (warning !== undefined) print(`Warning: ${warning}.`);
  const held = stored ? await countLiveOrders(db, stored.shopId) : 0;
  const surplus = findSurplus(state && toAudit(state));
  const estimate = estimateRest(findings, api.health, held + surplus, state?.load_rps ?? undefined) ?? null;
  print(`Load: ${loadText(shop, estimate, held, surplus)}`);
  const throttle = currentThrottle(api.health);
  print(`Pace: ${paceText(throttle)}.`);
  const hidden = stored ? (await readHiddenFields(db)).filter(({ shopId }) => shopId === stored.shopId) : [];
  const hiddenFields = hidden.map(({ key }) => key);
  for (const { what, advice } of hiddenFieldsProblem(shop.shopKey, hiddenFields)) print(`${what} ${advice}`);
  const document = {
    shop: shop.shopKey,
    status: 'ok',
    error: null,
    postgres,
    timezone: shop.timezone,
    ...findingsJson(findings),
    charset: api.charset?.name ?? null,
    facets_set_aside: aside,
    clock_warning: warning ?? null,
    hidden_order_fields: hiddenFields,
    orders_loaded: held,
    estimate,
    found_rps: throttle.found_rps,
    limited_by: throttle.limited_by,
  };
  checked.push({ warning, isLoaded: (state?.completed_at ?? null) !== null });
  if (context.flags.json) printResult(context, [document], '');
  return EXIT.done;
}

/** @param surplus what the shop's total counts more than it lists */
function loadText(
  { shopKey: shop, maxRps }: ShopConfig,
  estimate: ReturnType<typeof estimateRest> | null,
  held: number,
  surplus: number,
): string {
  const load = `${nextStep('load shop', { shop })} loads them`;
  if (!estimate) return `the shop does not say how many orders it has; ${load}`;
  const { orders } = estimate;
  const loaded = held === 0 ? '' : `${counted(held, 'order')} ${held === 1 ? 'is' : 'are'} loaded; `;
  const listed = held + orders;
  const more =
    surplus > 0
      ? `; the shop states ${grouped(listed + surplus)} but lists ${grouped(listed)}: its total counts more than it lists`
      : '';
  if (orders === 0) return `${loaded}none are left to load${more}`;
  return (
    `${loaded}${held === 0 ? 'the' : 'the other'} ${counted(orders, 'order')} ${orders === 1 ? 'takes' : 'take'} ` +
    `${describeLoad(estimate)}, at up to ${maxRps} requests a second; ${load}${more}`
  );
}

function findingsJson({ historyFrom, total, profile, listOrder, groups }: ApiFindings) {
  return {
    first_day: historyFrom.toString(),
    total_orders: total ?? null,
    total_meaning: profile.totalMeaning,
    list_order: listOrder,
    page: {
      limit: profile.limit,
      rows: profile.pageRows,
      is_uneven: profile.isUneven,
    },
    groups,
  };
}

function textLines(api: ShopApi): readonly string[] {
  const beside = api.takeBeside();
  return [charsetLine(api.charset), ...(beside === undefined ? [] : [`Warning: ${besideSentence(beside)}`])];
}

function charsetLine(charset: ShopApi['charset']): string {
  if (charset === undefined) return 'Encoding: not known yet, only ASCII was seen so far';
  const proofs: Readonly<Record<NonNullable<ShopApi['charset']>['by'], string>> = {
    'byte order mark': 'by its byte order mark',
    header: 'by its Content-Type header',
    bytes: 'detected',
    setting: 'set by SHOP_CHARSET',
  };
  return `Encoding: ${charset.name.replace(/^utf/, 'UTF')} (${proofs[charset.by]})`;
}

/** Whether its counts tell where something changed, without a doubt of them. */
function countsLine({ countEveryMs }: ShopConfig, isOther: boolean, aside: number): string {
  if (countEveryMs === 0) return 'Counts: off, by COUNT_EVERY';
  if (isOther) return 'Counts: not used, since its total does not count matching orders';
  const left = aside === 0 ? '' : `, but for ${counted(aside, 'facet')} that it counts wrong:`;
  return `Counts: every ${duration(countEveryMs)}${left}`;
}

/** Prints lines for people; with `--json` there is one document at the end. */
function createPrinter({ io, flags }: CliContext): (line: string) => void {
  return (line) => {
    if (!flags.json) io.out(`${wrapLines(line, io.outColumns())}\n`);
  };
}

const VERDICTS = {
  refuses: 'looks like such a shop: its API asks for a login',
  accepts: 'answers like such a shop, whatever the login',
  unclear: 'may be such a shop: what it answers without a login is not of its API',
} as const;

/**
 * `check URL`: whether an address looks like one of a shop of this platform. One request, without anybody's login.
 *
 * @throws TerminalError, TransientError when nothing answers there, or something else
 */
async function checkAddress(context: CliContext, given: string): Promise<ExitCode> {
  const url = withScheme(given);
  const shop = shopAt(url, { ...context.env, SHOP_ALLOW_HTTP: 'true' });
  // Nothing was set yet.
  const settingNames = { where: url, names: { SHOP_URL: 'the address' } };
  const answer = await tryAddress({ ...shop, settingNames }, context.signal);
  const document = { shop: null, status: 'ok', error: null, address: url, answer };
  printResult(context, [document], `${url} ${VERDICTS[answer]}.\n`);
  return EXIT.done;
}
