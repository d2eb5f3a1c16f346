import { asideJson } from '../../../sync/report/shop-report.ts';
import { paceText } from '../../../sync/report/shown-figures.ts';
import { currentThrottle, foundPace } from '../../../sync/run/throttle-state.ts';
import { sql } from 'drizzle-orm';

import { counted, duration, grouped, utcText } from '../../../model/amount-text.ts';
import type { ShopConfig } from '../../../config/shop-config.ts';
import type { Config } from '../../../config/load-config.ts';
import { ConfigError } from '../../../model/errors.ts';
import { type NextStep, nextStep } from '../../../model/next-step.ts';
import { memoryRecord, readMemory } from '../../../sync/run/shop-state.ts';
import { findSurplus } from '../../../plan/days/audit-due.ts';
import { listedClockWarning } from '../../../sync/sweep/clock-warning.ts';
import { describeFindings, estimateRest, learnApi } from '../../../sync/report/learn-api.ts';
import { hiddenFieldsProblem } from '../../../sync/report/shop-problems.ts';
import type { ShopApi } from '../../../shop-api/shop-api.ts';
import { besideSentence } from '../../../shop-api/wire/read-document.ts';
import { withLimit } from '../../../shop-api/paging/request-page.ts';
import { assertSameZone, findShop } from '../../../warehouse/directory/registered-shops.ts';
import { readHiddenFields } from '../../../warehouse/ops/payload-fields.ts';
import { readSetAside } from '../../../warehouse/ops/due.ts';
import { readShopState, updateShopState } from '../../../warehouse/ops/stored-shop-state.ts';
import { countLiveOrders } from '../../../warehouse/orders/live-orders.ts';
import { forEachShop, type OpenShop } from '../../each-shop.ts';
import { openWebhook } from '../../alert-webhook.ts';
import type { Given } from '../../options.ts';
import { nextCommand } from '../../output/command-name.ts';
import { loadText } from '../../output/describe-sweep.ts';
import { type CliContext, EXIT, type ExitCode, worse } from '../../output/io.ts';
import { print } from '../../output/layout.ts';
import { readShopsConfig } from '../../shops.ts';
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
  const read = config.shops.map(
    ({ shopKey, baseUrl, timezone }) =>
      `Settings: ok, shop ${shopKey} at ${new URL(baseUrl).host}, zone ${timezone}`,
  );
  print(context, read);
  const alerted = options.alert === true ? await checkAlert(context, config) : EXIT.done;
  const checked: Checked[] = [];
  const code = await forEachShop(context, config, (opened) => checkOne(context, opened, checked));
  if (code === EXIT.done) print(context, [nextText(context, options, checked)]);
  return worse(alerted, code);
}

/** What the next step depends on. */
type Checked = Pick<Learned, 'warning' | 'isLoaded'>;

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
  print(context, [`Test alert: ${result}`], [document]);
  return failure === undefined ? EXIT.done : EXIT.failed;
}

async function checkOne(context: CliContext, opened: OpenShop, checked: Checked[]): Promise<ExitCode> {
  const { run, shop, isOneOfMany } = opened;
  const { rows } = await run.db.execute<{ version: string }>(
    sql`SELECT current_setting('server_version') AS version`,
  );
  const postgres = rows[0]?.version ?? 'unknown';
  print(context, [...(isOneOfMany ? [`Shop ${shop.shopKey}`] : []), `Database: ok, PostgreSQL ${postgres}`]);
  const learned = await learnShop(opened, context.signal);
  const document = { shop: shop.shopKey, status: 'ok', error: null, postgres, ...toJson(shop, learned) };
  print(context, learnedText(shop, learned), [document]);
  checked.push(learned);
  return EXIT.done;
}

/** What a few requests and the warehouse say of the shop. What is learnt is saved, where the shop is registered. */
async function learnShop({ run: { api, db }, shop }: OpenShop, signal: AbortSignal) {
  const stored = await findShop(db, shop.shopKey);
  if (stored) assertSameZone(shop.shopKey, stored.timezone, shop.timezone);
  const state = stored && (await readShopState(db, stored.shopId));
  const memory = readMemory(state);
  const known = withLimit(memory.profile, shop.pageLimit);
  const now = Temporal.Now.instant();
  const today = now.toZonedDateTimeISO(shop.timezone).toPlainDate();
  api.resume(foundPace(memory.throttle));
  const findings = await learnApi(api, shop, known, today, signal);
  const learned = memoryRecord({ ...memory, profile: findings.profile });
  if (state) await updateShopState(db, state.shop_id, { memory: learned }, now);
  const held = stored ? await countLiveOrders(db, stored.shopId) : 0;
  const surplus = findSurplus(memory.audit);
  const hidden = stored ? (await readHiddenFields(db)).filter(({ shopId }) => shopId === stored.shopId) : [];
  return {
    findings,
    /** The answers that name no charset, or hold more than a document. */
    charset: api.charset,
    beside: api.takeBeside(),
    aside: asideJson(stored ? await readSetAside(db, [stored.shopId], now) : []),
    warning: await listedClockWarning(api, shop, now, signal),
    held,
    /** What the shop's total counts more than it lists. */
    surplus,
    estimate: estimateRest(findings, api.health, held + surplus, memory.loadRps) ?? null,
    throttle: currentThrottle(api.health),
    hiddenFields: hidden.map(({ key }) => key),
    isLoaded: (state?.completed_at ?? null) !== null,
  };
}

type Learned = Awaited<ReturnType<typeof learnShop>>;

function learnedText(shop: ShopConfig, learned: Learned): readonly string[] {
  const { findings, beside, aside, warning, hiddenFields } = learned;
  const facts = [
    ...describeFindings(findings),
    charsetLine(learned.charset),
    ...(beside === undefined ? [] : [`Warning: ${besideSentence(beside)}`]),
    countsLine(shop, findings.profile.totalMeaning === 'other', aside.length),
    ...aside.map(
      ({ facet, reason, until }) =>
        `  ${facet}: ${reason}; not asked before ${utcText(Temporal.Instant.from(until))}`,
    ),
  ];
  return [
    'Shop: ok, it accepts the login and API key',
    ...facts.map((line) => `  ${line}`),
    ...(warning === undefined ? [] : [`Warning: ${warning}.`]),
    `Load: ${restText(shop, learned)}`,
    `Pace: ${paceText(learned.throttle)}.`,
    ...hiddenFieldsProblem(shop.shopKey, hiddenFields).map(({ what, advice }) => `${what} ${advice}`),
  ];
}

function restText(
  { shopKey: shop, maxRps }: ShopConfig,
  { estimate, held, surplus }: Pick<Learned, 'estimate' | 'held' | 'surplus'>,
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
    `${loadText(estimate)}, at up to ${maxRps} requests a second; ${load}${more}`
  );
}

function toJson({ timezone }: ShopConfig, learned: Learned) {
  const { historyFrom, total, profile, listOrder, groups } = learned.findings;
  return {
    timezone,
    first_day: historyFrom.toString(),
    total_orders: total ?? null,
    total_meaning: profile.totalMeaning,
    list_order: listOrder,
    page: { limit: profile.limit, rows: profile.pageRows },
    groups,
    charset: learned.charset?.name ?? null,
    facets_set_aside: learned.aside,
    clock_warning: learned.warning ?? null,
    hidden_order_fields: learned.hiddenFields,
    orders_loaded: learned.held,
    estimate: learned.estimate,
    found_rps: learned.throttle.found_rps,
    limited_by: learned.throttle.limited_by,
  };
}

function charsetLine(charset: ShopApi['charset']): string {
  if (charset === undefined) return 'Encoding: not known yet, only ASCII was seen so far';
  const proofs: Readonly<Record<NonNullable<ShopApi['charset']>['by'], string>> = {
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
  const address = withScheme(given);
  const shop = shopAt(address, { ...context.env, SHOP_ALLOW_HTTP: 'true' });
  const answer = await tryAddress(shop, context.signal);
  const document = { shop: null, status: 'ok', error: null, address, answer };
  print(context, [`${address} ${VERDICTS[answer]}.`], [document]);
  return EXIT.done;
}
