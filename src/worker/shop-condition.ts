import { utcText } from '../sync/run/throttle-state.ts';
import type { ShopStatusJson } from './status-page/status-json.ts';

/** What is to be told of a shop first; `word` is the state for machines and styles, `text` for people. */
export type ShopState = {
  readonly word: 'complete' | 'catching-up' | 'failing' | 'paused' | 'new';
  readonly text: string;
};

export type StateFacts = Pick<ShopStatusJson, 'days_due' | 'runs' | 'politeness'>;

/**
 * How a shop is doing, in a few words. A shop that asked to be left alone is paused, whatever came before; one whose last
 * sweep failed is failing even while nothing is due, since something soon will be.
 */
export function shopState({ days_due: due, runs, politeness }: StateFacts, now: Temporal.Instant): ShopState {
  const comeBackAt = comingBack(politeness, now);
  if (comeBackAt !== undefined) return { word: 'paused', text: `paused until ${utcText(comeBackAt)}` };
  const sweeps = runs.filter(({ kind }) => kind === 'sync' || kind === 'backfill');
  // A sweep that is under way has not shown yet that what failed before is over.
  const last = sweeps.find(({ status }) => status !== 'running');
  if (last?.status === 'failed')
    return { word: 'failing', text: `failing${due ? `, ${days(due)} due` : ''}` };
  if (due === 0) return { word: 'complete', text: 'complete' };
  if (due !== null) return { word: 'catching-up', text: `catching up, ${days(due)} due` };
  return sweeps.length === 0
    ? { word: 'new', text: 'not swept yet' }
    : { word: 'catching-up', text: 'catching up, no day read yet' };
}

function comingBack(
  politeness: StateFacts['politeness'],
  now: Temporal.Instant,
): Temporal.Instant | undefined {
  if (!politeness?.come_back_at) return undefined;
  const instant = Temporal.Instant.from(politeness.come_back_at);
  return Temporal.Instant.compare(instant, now) > 0 ? instant : undefined;
}

const days = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'day' : 'days'}`;
