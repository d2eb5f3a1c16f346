/** When orders are placed: more before New Year, on weekdays and in the evening; sometimes several in a minute. */
import { type ClockGap, DAY_S, HOUR_S, type LocalSeconds, MINUTE_S } from './shop-clock.ts';
import { Random } from './random.ts';

const MONTHS = [0.85, 0.95, 1.1, 0.95, 0.95, 0.85, 0.8, 0.85, 1, 1.05, 1.3, 1.5];
/** From Sunday. */
const WEEKDAYS = [0.85, 1.15, 1.1, 1.05, 1.05, 1, 0.8];
const HOURS = [
  2, 1, 0.6, 0.4, 0.4, 0.6, 1.2, 2.5, 4, 6, 7, 7.2, 7, 6.5, 6.2, 6, 6, 6.2, 6.8, 7.5, 8, 7.5, 5.5, 3.5,
];
/** Shops grow: the weight of the last day relative to the first. */
const GROWTH = 1.4;
const BURST_CHANCE = 0.05;

type Cell = { readonly from: LocalSeconds; readonly seconds: number; readonly weight: number };

/**
 * Exactly `count` local times in a span, ascending, none of them in a gap.
 *
 * @param span half-open, not empty
 */
export function orderTimes(
  seed: number,
  count: number,
  span: { readonly from: LocalSeconds; readonly to: LocalSeconds },
  gaps: readonly ClockGap[],
): readonly LocalSeconds[] {
  const cells = hourCells(seed, span.from, span.to, gaps);
  const total = cells.reduce((sum, cell) => sum + cell.weight, 0);
  const random = new Random(seed, 'times');
  const times: LocalSeconds[] = [];
  let reached = 0;
  for (const cell of cells) {
    reached += cell.weight;
    const until = Math.min(count, Math.round((count * reached) / total));
    while (times.length < until) times.push(pickTime(cell, times.at(-1), random));
  }
  return times.toSorted((a, b) => a - b);
}

function pickTime(cell: Cell, last: LocalSeconds | undefined, random: Random): LocalSeconds {
  const isBurst = random.chance(BURST_CHANCE);
  const within = random.below(cell.seconds);
  if (!isBurst || last === undefined || last < cell.from) return cell.from + within;
  const minute = last - (last % MINUTE_S);
  const end = Math.min(minute + MINUTE_S, cell.from + cell.seconds);
  return Math.max(cell.from, random.between(minute, end - 1));
}

function hourCells(seed: number, from: LocalSeconds, to: LocalSeconds, gaps: readonly ClockGap[]): Cell[] {
  const cells: Cell[] = [];
  for (let hour = from - (from % HOUR_S); hour < to; hour += HOUR_S) {
    const [start, end] = [Math.max(hour, from), Math.min(hour + HOUR_S, to)];
    const [real, until] = withoutGap(start, end, gaps);
    if (until <= real) continue;
    const growth = 1 + (GROWTH - 1) * ((hour - from) / (to - from));
    const weight = growth * hourWeight(seed, hour) * ((until - real) / HOUR_S);
    cells.push({ from: real, seconds: until - real, weight });
  }
  return cells;
}

/** An hour without its gap; empty where the clocks skipped all of it. */
function withoutGap(
  start: LocalSeconds,
  end: LocalSeconds,
  gaps: readonly ClockGap[],
): readonly [LocalSeconds, LocalSeconds] {
  const gap = gaps.find(({ from, to }) => start < to && end > from);
  if (gap === undefined) return [start, end];
  return gap.to < end ? [gap.to, end] : [start, gap.from];
}

function hourWeight(seed: number, hour: LocalSeconds): number {
  const day = Math.floor(hour / DAY_S);
  const dayWeight = 0.75 + 0.5 * new Random(seed, 'day', day).next();
  const date = new Date(day * DAY_S * 1000);
  const month = MONTHS[date.getUTCMonth()] ?? 1;
  const weekday = WEEKDAYS[date.getUTCDay()] ?? 1;
  return dayWeight * month * weekday * (HOURS[Math.floor((hour % DAY_S) / HOUR_S)] ?? 1);
}
