/** What is wrong with a shop, and what to do about it, in words. */
import type { AlertCause } from '../../model/alert-facts.ts';
import { counted, sentence, utcText } from '../../model/amount-text.ts';
import { describeLineFailure, isLineFailure } from '../../warehouse/orders/due-lines.ts';
import { missingText } from '../../model/missing-orders.ts';
import { type NextStep, nextStep } from '../../model/next-step.ts';
import { HIDDEN_CODE } from '../../model/status-codes.ts';
import { describeCondition, isEmptyShop, type ShopCondition } from './shop-condition.ts';
import type { ShopStatusJson } from './shop-report.ts';

type RunJson = ShopStatusJson['runs'][number];

/** What is wrong with a shop, or waits for somebody. */
export type Problem = {
  /** `error`: data is missing or getting old. `warning`: it will be, or something is left out. `task`: there is something to do. */
  readonly weight: 'error' | 'warning' | 'task';
  readonly what: string;
  /** The next step, with what is to be typed in backticks; empty where `what` says it, or there is none to take. */
  readonly advice: string;
  /** The cause of the alert that says the same. */
  readonly cause?: AlertCause;
  /** The error of the run that it is about: an alert may quote it. */
  readonly error?: string;
};

/** A command as `advice` holds it. */
export const typed = (step: NextStep, subject: Parameters<typeof nextStep>[1]) =>
  `\`${nextStep(step, subject)}\``;

/** With fewer, some shops have nothing that most of their orders keep. */
const MANY_ORDERS = 300;
const LISTED = 5;

/** All problems of a shop, the gravest first; an alert is one too, where nothing else says the same. */
export function findProblems(shop: ShopStatusJson, now: Temporal.Instant): readonly Problem[] {
  // Nothing gets better while it is paused.
  if (shop.paused_at !== null) return [...pauseProblem(shop), ...taskProblems(shop)];
  const { word } = describeCondition(shop, now);
  const ofRun = findRunProblem(shop, word);
  const isFailing = ofRun.some(({ weight }) => weight === 'error');
  const known = [
    ...ofRun,
    ...(isFailing ? [] : outageProblem(shop, now)),
    ...linesProblem(shop),
    ...cutLinesProblem(shop),
    ...rejectionProblem(shop),
  ];
  const found = [
    ...withAlerts(shop, [...known, ...daysProblem(shop, known)]),
    ...comparedProblem(shop),
    ...missingProblem(shop, now),
    ...taskProblems(shop),
  ];
  return found.toSorted((one, other) => WEIGHTS.indexOf(one.weight) - WEIGHTS.indexOf(other.weight));
}

const WEIGHTS: readonly Problem['weight'][] = ['error', 'warning', 'task'];

const isSweep = ({ kind }: RunJson) => kind === 'sync' || kind === 'backfill';

/** How the last run of a shop ended, if not well, and how to go on. */
function findRunProblem(status: ShopStatusJson, word: ShopCondition['word']): readonly Problem[] {
  const { shop, runs, days_due: due, retry_at } = status;
  const running = runs.find(({ status }) => status === 'running');
  // A running run does not replace the result of the one before it.
  const ended = runs.find(({ status }) => status !== 'running');
  if (ended === undefined || ended.status === 'ok') return [];
  if (ended.status === 'interrupted' || ended.status === 'abandoned') {
    // A sweep continues where another one stopped.
    const isOver = isSweep(ended) && (due === 0 || (running !== undefined && isSweep(running)));
    return isOver ? [] : [stopped(ended, shop)];
  }
  const { error } = ended;
  if (!error) return [];
  // Missing lines are reported separately as long as they are missing.
  if (ended.status === 'partial' && status.line_failures.length > 0 && isLineFailure(error)) return [];
  if (isSweep(ended) && isEmptyShop(status)) return [emptyProblem(error)];
  const result = ended.status === 'partial' ? 'was partial' : ended.status;
  const what = sentence(`The last ${ended.kind} ${result}: ${error}`);
  if (!isSweep(ended)) return [{ weight: 'warning', what, advice: `${again(ended, shop)}.`, error }];
  const next =
    running !== undefined && isSweep(running)
      ? `A ${running.kind} is trying again now.`
      : `${again(ended, shop)}; a worker does so ${retryText(retry_at)}.`;
  if (ended.status === 'partial') {
    const rest = hasLoaded(ended) ? 'The rest was loaded. ' : '';
    return [{ weight: 'warning', what, advice: `${rest}${next}`, error }];
  }
  const advice = `${next} ${typed('check shop', { shop })} tests the settings and the shop now.`;
  return [{ weight: word === 'failing' ? 'error' : 'warning', what, advice, error }];
}

function emptyProblem(error: string): Problem {
  const what = 'The shop answers, and lists no orders.';
  const advice =
    'If it has orders, its API key has no permission to read them. Otherwise nothing is wrong: an empty answer proves nothing, so its days count as verified only after its first order.';
  return { weight: 'warning', what, advice, error };
}

function stopped(run: RunJson, shop: string): Problem {
  const how = run.status === 'interrupted' ? 'was interrupted' : 'was abandoned: its process died';
  const kept = hasLoaded(run) ? ' What it loaded is kept.' : '';
  const command = typed(STEPS[run.kind], { shop });
  const next = isSweep(run)
    ? `Run ${command} to continue; a worker does so by itself.`
    : `Run ${command} again to finish.`;
  return { weight: 'warning', what: `The last ${run.kind} ${how}.${kept}`, advice: next };
}

/** When a worker tries again, which it does at growing intervals where days could not be verified. */
function retryText(retryAt: string | null): string {
  return retryAt === null ? 'by itself' : `at ${utcText(Temporal.Instant.from(retryAt))}`;
}

const again = ({ kind }: RunJson, shop: string) => `Run ${typed(STEPS[kind], { shop })} to try again`;

/** The command that continues a run. That of an erasure does not name the person: only the operator knows who it was. */
const STEPS: Readonly<Record<RunJson['kind'], NextStep>> = {
  sync: 'sync due days',
  backfill: 'load shop',
  verify: 'compare',
  replay: 'replay payloads',
  forget: 'erase again',
};

function hasLoaded({ days_verified, orders_new, orders_changed }: RunJson): boolean {
  return days_verified + orders_new + orders_changed > 0;
}

function pauseProblem({ shop }: ShopStatusJson): readonly Problem[] {
  const what = 'The shop was paused by an operator: nothing is read, and no alert is raised.';
  return [task(what, `${typed('resume shop', { shop })} brings it back.`)];
}

/** Adds the causes of alerts. A problem that an alert quotes is not repeated, but gets the alert's weight. */
function withAlerts({ alerts, shop }: ShopStatusJson, known: readonly Problem[]): readonly Problem[] {
  const isSaidBy = (problem: Problem, { cause, text }: ShopStatusJson['alerts'][number]) =>
    problem.cause === cause || (problem.error !== undefined && text.includes(problem.error));
  const others = alerts.filter((alert) => !known.some((problem) => isSaidBy(problem, alert)));
  const stale = alerts.filter(({ cause }) => cause === 'stale');
  return [
    ...known.map((problem): Problem => {
      return stale.some((alert) => isSaidBy(problem, alert)) ? { ...problem, weight: 'error' } : problem;
    }),
    ...others.map(({ cause, text: what }): Problem => {
      const advice = cause === 'stale' ? `If the shop has closed: ${typed('pause shop', { shop })}.` : '';
      return { weight: cause === 'stale' ? 'error' : 'warning', what, advice, cause };
    }),
  ];
}

function outageProblem({ throttle }: ShopStatusJson, now: Temporal.Instant): readonly Problem[] {
  if (throttle === null) return [];
  const { circuit, paused_until, limited_by } = throttle;
  if (paused_until !== null && Temporal.Instant.compare(Temporal.Instant.from(paused_until), now) > 0) {
    const what = `The shop requested a pause until ${utcText(Temporal.Instant.from(paused_until))}.`;
    return [warning(what, 'Sweeps go on by themselves after that.')];
  }
  if (circuit !== 'closed') {
    const what = `The shop did not answer the last request (circuit ${circuit}).`;
    const advice =
      'Small requests check when it is back. Is its address right, and does it open in a browser?';
    return [{ weight: 'error', what, advice }];
  }
  if (limited_by !== 'failures') return [];
  const what = 'Some requests failed, so fewer are sent at once.';
  return [warning(what, 'The pace rises again by itself while the shop answers.')];
}

/** Said by the last run as a rule: that it did not verify them, and why. */
function daysProblem(
  { days_failed: count, day_error: error, retry_at, shop }: ShopStatusJson,
  known: readonly Problem[],
): readonly Problem[] {
  if (error === null || known.some((problem) => problem.error === error)) return [];
  const what = `${counted(count, 'day')} could not be verified: ${error}.`;
  const advice = `Run ${typed('sync due days', { shop })} to try again; a worker does so ${retryText(retry_at)}.`;
  return [{ weight: 'warning', what, advice, error }];
}

function linesProblem(shop: ShopStatusJson): readonly Problem[] {
  const { line_failures: failures, orders_without_lines: count, orders_with_doubtful_lines: doubtful } = shop;
  const retried =
    'All other orders are read as usual. Later sweeps try again, at growing intervals. Does it open in the shop?';
  const failed = failures.map((failure) => warning(sentence(describeLineFailure(failure)), retried));
  const others = count - failures.reduce((sum, { orders }) => sum + orders, 0);
  if (others <= 0) return failed;
  const what = `${counted(others, 'order')} without up-to-date lines.`;
  const why = `In ${doubtful === others ? 'each' : doubtful} of these, the lines contradict the count or sum. `;
  const advice = 'They are fetched again by the next sweeps.';
  return [...failed, warning(what, `${doubtful > 0 ? why : ''}${advice}`)];
}

/** Lines that are missing in every order contradict none of them in particular. */
function cutLinesProblem({ is_loaded, line_relations, orders }: ShopStatusJson): readonly Problem[] {
  if (!is_loaded || orders < MANY_ORDERS || line_relations.length > 0) return [];
  const what = 'The lines of its orders match neither the counts nor the sums of the orders.';
  return [
    warning(
      what,
      "Lines may be missing in what the shop sends: compare some orders with the shop's own pages.",
    ),
  ];
}

function rejectionProblem({ open_rejections: count, shop }: ShopStatusJson): readonly Problem[] {
  if (count === 0) return [];
  const what = `${counted(count, 'value')} could not be understood, and ${count === 1 ? 'is' : 'are'} left out.`;
  return [{ ...warning(what, `${typed('list rejections', { shop })} shows samples.`), cause: 'rejections' }];
}

function comparedProblem({ compared, shop }: ShopStatusJson): readonly Problem[] {
  if (compared === null || compared.orders_differing === 0) return [];
  const orders = counted(compared.orders_differing, 'order');
  const what = `The verify of ${utcText(Temporal.Instant.from(compared.at))} found ${orders} of verified days to differ.`;
  return [warning(what, `${typed('repair', { shop })} reads their days again.`)];
}

function missingProblem(
  { orders_missing: orders, confirmed_at, shop }: ShopStatusJson,
  now: Temporal.Instant,
): readonly Problem[] {
  if (orders === 0 || confirmed_at === null) return [];
  const what = sentence(missingText({ orders, confirmedAt: Temporal.Instant.from(confirmed_at) }, now));
  return [task(what, `Run ${typed('sync due days', { shop })} for that; a worker does so by itself.`)];
}

function taskProblems(shop: ShopStatusJson): readonly Problem[] {
  const replay = task(
    'This version of order-sync reads more of the stored answers than the one that loaded them.',
    `Run ${typed('replay payloads', shop)}.`,
  );
  return [
    ...(shop.is_replay_due ? [replay] : []),
    ...codeProblems(shop),
    ...hiddenFieldsProblem(shop.shop, shop.hidden_order_fields),
  ];
}

/** Extra order fields that reports hide, with the command that shows one. @param fields their keys */
export function hiddenFieldsProblem(shop: string, fields: readonly string[]): readonly Problem[] {
  const [field] = fields;
  if (field === undefined) return [];
  return [
    task(
      `Extra order fields that reports hide until you show them: ${listed(fields)}.`,
      `${typed('show field', { shop, field })} shows one, ${typed('hide field', { shop })} keeps one hidden; ` +
        `${typed('list fields', { shop })} says how often each is used.`,
    ),
  ];
}

const task = (what: string, advice: string): Problem => ({ weight: 'task', what, advice });
const warning = (what: string, advice: string): Problem => ({ weight: 'warning', what, advice });

function codeProblems({ shop, unclassified_statuses: codes }: ShopStatusJson): readonly Problem[] {
  // A code in which a person was found cannot be classified, and one that no order has need not be.
  const named = codes.filter(({ code, orders }) => code !== HIDDEN_CODE && orders !== 0);
  const ofOrders = named.filter(({ kind }) => kind === 'order');
  const payments = named.filter(({ kind }) => kind === 'payment');
  const problems: Problem[] = [];
  if (ofOrders.length > 0) {
    const what = `Unknown status codes: ${codesText(ofOrders)}. Their orders do not count as sales until you say what they mean.`;
    const list = `${typed('list statuses', { shop })} lists them all.`;
    problems.push(task(what, `${typed('classify status', { shop })} classifies one; ${list}`));
  }
  if (payments.length > 0) {
    const what = `Payment codes of this shop without a name: ${codesText(payments)}.`;
    problems.push(task(what, `${typed('name payment', { shop })} names one.`));
  }
  return problems;
}

/** The first few, and how many more. */
function listed(texts: readonly string[]): string {
  const more = texts.length > LISTED ? [`${texts.length - LISTED} more`] : [];
  return [...texts.slice(0, LISTED), ...more].join(', ');
}

function codesText(codes: ShopStatusJson['unclassified_statuses']): string {
  return listed(
    codes.map(({ code, orders }) => `“${code}”${orders === null ? '' : ` (${counted(orders, 'order')})`}`),
  );
}
