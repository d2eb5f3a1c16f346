/** How the last run of a shop ended, if not well, and how to go on. */
import type { AlertCause } from '../../model/alert-facts.ts';
import { type NextStep, nextStep } from '../../model/next-step.ts';
import { sentence, utcText } from '../../model/amount-text.ts';
import { isEmptyShop, type ShopCondition } from './shop-condition.ts';
import type { ShopStatusJson } from './shop-report.ts';

type RunJson = ShopStatusJson['runs'][number];

const isSweep = ({ kind }: RunJson) => kind === 'sync' || kind === 'backfill';

export function findRunProblem(status: ShopStatusJson, word: ShopCondition['word']): readonly Problem[] {
  const { shop, runs, days_due: due, retry_at } = status;
  const running = runs.find(({ status }) => status === 'running');
  // A running run does not replace the result of the one before it.
  const ended = runs.find(({ status }) => status !== 'running');
  if (ended === undefined || ended.status === 'ok') return [];
  if (ended.status === 'interrupted' || ended.status === 'abandoned') {
    // A sweep goes on where another one stopped.
    const isOver = isSweep(ended) && (due === 0 || (running !== undefined && isSweep(running)));
    return isOver ? [] : [stopped(ended, shop)];
  }
  const { error } = ended;
  if (!error) return [];
  // What its orders lack is said by itself, as long as they do.
  const isOfLines = status.line_failures.some(({ reason }) => error.includes(reason));
  if (ended.status === 'partial' && isOfLines) return [];
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
    'If it has some, its API key lacks the right to read them. Otherwise all is well: its days count as verified from the first order on, since an empty answer proves nothing.';
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
export function retryText(retryAt: string | null): string {
  return retryAt === null ? 'by itself' : `at ${utcText(Temporal.Instant.from(retryAt))}`;
}

const again = ({ kind }: RunJson, shop: string) => `Run ${typed(STEPS[kind], { shop })} to try again`;

/** What goes on with a run. A person that is erased is named by nobody but who gives the command. */
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

/** What is wrong with a shop, or waits for somebody. */
export type Problem = {
  /** `error`: data is missing or getting old. `warning`: it will be, or something is left out. `task`: somebody has to decide. */
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
