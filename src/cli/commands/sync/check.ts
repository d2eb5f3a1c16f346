import { suspendedJson } from '../../../sync/report/shop-report.ts';
import { paceText } from '../../../sync/report/shown-figures.ts';
import { currentThrottle, foundPace } from '../../../sync/run/throttle-state.ts';
import { sql } from 'drizzle-orm';

import { counted, grouped, utcText } from '../../../model/amount-text.ts';
import type { ShopConfig } from '../../../config/shop-config.ts';
import type { Config } from '../../../config/load-config.ts';
import { shopUrl } from '../../../config/setting-types.ts';
import { ConfigError, UsageError } from '../../../model/errors.ts';
import { nextStep } from '../../../model/next-step.ts';
import { memoryRecord, readMemory } from '../../../sync/run/shop-state.ts';
import { findSurplus } from '../../../plan/days/audit-due.ts';
import { listedClockSkew } from '../../../sync/sweep/clock-warning.ts';
import { clockSkewText } from '../../../plan/clock/clock-skew.ts';
import { estimateRest, learnApi } from '../../../sync/report/learn-api.ts';
import { hiddenFieldsProblem } from '../../../sync/report/shop-problems.ts';
import { besideSentence } from '../../../shop-api/wire/read-document.ts';
import { withLimit } from '../../../shop-api/paging/request-page.ts';
import { assertSameZone, findShop } from '../../../warehouse/directory/registered-shops.ts';
import { readHiddenFields } from '../../../warehouse/ops/payload-fields.ts';
import { readSuspendedCounts } from '../../../warehouse/ops/due.ts';
import { readShopState, updateShopState } from '../../../warehouse/ops/stored-shop-state.ts';
import { countLiveOrders } from '../../../warehouse/orders/live-orders.ts';
import { forEachShop, type OpenShop, SHORT_OUTAGE } from '../../each-shop.ts';
import { readShopsConfig } from '../../shops.ts';
import { openWebhook } from '../../alert-webhook.ts';
import type { CommandOptions } from '../../options.ts';
import { loadText } from '../../output/describe-sweep.ts';
import { type CliContext, EXIT, type ExitCode, worse } from '../../output/io.ts';
import { type Fact, print } from '../../output/layout.ts';
import { shopAt, tryAddress, withScheme } from '../setup/try-address.ts';

type CheckOptions = CommandOptions<'shop', 'alert'>;

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
  const checked = await forEachShop(context, config, (opened) => checkOne(context, opened), SHORT_OUTAGE);
  return worse(alerted, checked);
}

/** Sends a test alert, whatever the shops are like. */
async function checkAlert(context: CliContext, config: Config): Promise<ExitCode> {
  const webhook = openWebhook(config);
  if (webhook === undefined) throw new ConfigError(['ALERT_WEBHOOK_URL is not set, so no alert can be sent']);
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
  const result = failure === undefined ? 'ok, the webhook accepted it' : `not delivered: ${failure.problem}`;
  print(context, [`Test alert: ${result}`], [document]);
  return failure === undefined ? EXIT.done : EXIT.failed;
}

async function checkOne(context: CliContext, opened: OpenShop): Promise<void> {
  const { shop, run, isOneOfMany } = opened;
  const { rows } = await run.db.execute<{ version: string }>(
    sql`SELECT current_setting('server_version') AS version`,
  );
  const postgres = rows[0]?.version ?? 'unknown';
  print(context, [...(isOneOfMany ? [`Shop ${shop.shopKey}`] : []), `Database: ok, PostgreSQL ${postgres}`]);
  const { learned, surplus, throttle, warnings } = await learnShop(opened, context.signal);
  const hidden = hiddenFieldsProblem(shop.shopKey, learned.hidden_order_fields);
  const blocks = [
    'Shop: ok, it accepts the login and API key',
    { facts: factsOfShop(learned) },
    ...learned.suspended_counts.map(
      ({ facet, reason, until }) =>
        `  The count of ${facet} is suspended until ${utcText(Temporal.Instant.from(until))}: ${reason}`,
    ),
    ...warnings.map((sentence) => `Warning: ${sentence}.`),
    `Load: ${restText(shop, learned, surplus)}`,
    `Pace: ${paceText(throttle)}.`,
    ...hidden.map(({ what, advice }) => `${what} ${advice}`),
  ];
  print(context, blocks, [{ shop: shop.shopKey, status: 'ok', error: null, postgres, ...learned }]);
}

/** What a few requests and the warehouse say of the shop. What is learnt is saved, where the shop is registered. */
async function learnShop({ run: { api, db }, shop }: OpenShop, signal: AbortSignal) {
  const stored = await findShop(db, shop.shopKey);
  if (stored) assertSameZone(shop.shopKey, stored.timezone, shop.timezone);
  const state = stored && (await readShopState(db, stored.shopId));
  const memory = readMemory(state);
  api.resume(foundPace(memory.throttle));
  const now = Temporal.Now.instant();
  const today = now.toZonedDateTimeISO(shop.timezone).toPlainDate();
  const known = withLimit(memory.profile, shop.pageLimit);
  const findings = await learnApi(api, shop, known, today, signal);
  const { profile, total, emptyForm } = findings;
  if (state) await updateShopState(db, state.shop_id, { memory: memoryRecord({ ...memory, profile }) }, now);
  const loaded = stored ? await countLiveOrders(db, stored.shopId) : 0;
  // What its total counts more than it lists.
  const surplus = findSurplus(memory.audit);
  const hidden = (await readHiddenFields(db)).filter(({ shopId }) => shopId === stored?.shopId);
  const throttle = currentThrottle(api.health);
  const skew = await listedClockSkew(api, shop, now, signal);
  const learned = {
    timezone: shop.timezone,
    first_day: findings.historyFrom.toString(),
    total_orders: total ?? null,
    total_meaning: profile.totalMeaning,
    list_order: findings.listOrder,
    page: { limit: profile.limit, rows: profile.pageRows },
    groups: findings.groups,
    charset: api.charset?.name ?? null,
    suspended_counts: suspendedJson(stored ? await readSuspendedCounts(db, [stored.shopId], now) : []),
    clock_warning: skew ? clockSkewText(skew, shop.timezone) : null,
    hidden_order_fields: hidden.map(({ key }) => key),
    orders_loaded: loaded,
    estimate: estimateRest(findings, api.health, loaded + surplus, memory.loadRps) ?? null,
    found_rps: throttle.found_rps,
    limited_by: throttle.limited_by,
  };
  const beside = api.takeBeside();
  const none =
    emptyForm &&
    `no orders at all, answered with ${emptyForm}; if the shop has some, check its address and what its API key may read`;
  const warnings = [beside && besideSentence(beside), learned.clock_warning, none].flatMap((text) =>
    text ? [text] : [],
  );
  return { learned, surplus, throttle, warnings };
}

type Learned = Awaited<ReturnType<typeof learnShop>>['learned'];

const LIST_ORDERS: Readonly<Record<Learned['list_order'], string>> = {
  'newest first': 'newest first',
  'oldest first': 'oldest first',
  neither: 'in no order of time',
  unknown: 'too short to show its order',
};

/** How the shop answers. */
function factsOfShop({ page, charset, groups, ...shop }: Learned): readonly Fact[] {
  const total = shop.total_orders;
  const ofAll = shop.total_meaning === 'other' ? ', which ignores the dates of the list' : '';
  return [
    ['First order', total === 0 ? 'none' : shop.first_day],
    ['Orders', total === null ? 'not stated' : `${grouped(total)} by its own count${ofAll}`],
    ['List', LIST_ORDERS[shop.list_order]],
    ['Page', page.rows === 0 ? 'no full page was seen' : `${page.rows} orders of ${page.limit} requested`],
    ['Groups', groups === null ? 'they could not be read' : `${grouped(groups)} at the top`],
    ['Charset', charset ?? 'only ASCII was seen'],
  ];
}

function restText(
  { shopKey: shop, maxRps }: ShopConfig,
  { estimate, orders_loaded: loaded }: Learned,
  surplus: number,
): string {
  const load = `${nextStep('load shop', { shop })} loads them`;
  if (!estimate) return `the shop does not say how many orders it has; ${load}`;
  const { orders } = estimate;
  const done = loaded === 0 ? '' : `${counted(loaded, 'order')} ${loaded === 1 ? 'is' : 'are'} loaded; `;
  const listed = loaded + orders;
  const more =
    surplus > 0
      ? `; the shop states ${grouped(listed + surplus)} but lists ${grouped(listed)}: its total counts more than it lists`
      : '';
  if (orders === 0)
    return `${done}none are left to load${more}; ${nextStep('keep synced')} keeps them up to date`;
  return (
    `${done}${loaded === 0 ? 'the' : 'the other'} ${counted(orders, 'order')} ${orders === 1 ? 'takes' : 'take'} ` +
    `${loadText(estimate)}, at up to ${maxRps} requests a second; ${load}${more}`
  );
}

const VERDICTS = {
  refuses: 'looks like such a shop: its API asks for a login',
  accepts: 'answers like such a shop, whatever the login',
  unclear: 'may be such a shop: without a login it does not answer as the API does',
} as const;

/**
 * `check URL`: whether an address looks like one of a shop of this platform. One request, without anybody's login.
 *
 * @throws UsageError where it is no address; TerminalError, TransientError when nothing answers there, or something else
 */
async function checkAddress(context: CliContext, given: string): Promise<ExitCode> {
  const address = withScheme(given);
  const problem = shopUrl.safeParse(address).error?.issues[0]?.message;
  if (problem !== undefined) throw new UsageError(`the argument ${problem}`);
  const shop = shopAt(address, { ...context.env, SHOP_ALLOW_HTTP: 'true' });
  const answer = await tryAddress(shop, context.signal);
  const document = { shop: null, status: 'ok', error: null, address, answer };
  print(context, [`${address} ${VERDICTS[answer]}.`], [document]);
  return EXIT.done;
}
