import {
  byTime,
  EVER,
  isBefore,
  isOpenAbove,
  isOpenBelow,
  minutesBetween,
  type Window,
} from '../../model/window.ts';

/** The dates of a request; an absent one leaves that end open. */
export type Dates = {
  readonly from: Temporal.PlainDateTime | undefined;
  readonly to: Temporal.PlainDateTime | undefined;
};

/** For a shop that treats one date as none: beyond these lies no order that a date filter is trusted with. */
export const FARTHEST = {
  from: Temporal.PlainDateTime.from('1970-01-01T00:00:00'),
  to: Temporal.PlainDateTime.from('2037-12-31T23:59:59'),
};

/** Whether a shop was seen to answer these dates with orders. */
export const knowsFarthest = (
  seen: Partial<Dates> | undefined,
  { from, to }: Partial<Dates> = FARTHEST,
): boolean =>
  (from === undefined || seen?.from !== undefined) && (to === undefined || seen?.to !== undefined);

/** For a shop that knows no such dates. @param now shop-local, give or take a day */
export const nearerThanFarthest = (now: Temporal.PlainDateTime) => ({
  from: Temporal.PlainDateTime.from('2001-01-01T00:00:00'),
  to: now.add({ years: 1 }),
});

/** No shop of the platform is that old. */
export const NO_ORDERS: Dates = {
  from: Temporal.PlainDateTime.from('1971-01-01T00:00'),
  to: Temporal.PlainDateTime.from('1971-01-02T00:00'),
};

/** The times that dates ask for, and so much beyond them. @param above @default as below */
export function widen({ from, to }: Dates, below: Temporal.DurationLike, above = below): Window {
  return { from: from?.subtract(below) ?? EVER.from, to: to?.add(above) ?? EVER.to };
}

/** Orders that are known to exist, by the minute at which they were created: what an answer must reach to prove a window. */
export type KnownOrders = {
  /** The minute of the nth known order before a time, counted back; of the farthest one where there are fewer. */
  before(time: Temporal.PlainDateTime, nth: number): Promise<Temporal.PlainDateTime | undefined>;
  /** The minute of the nth known order at or after a time; of the farthest one where there are fewer. */
  after(time: Temporal.PlainDateTime, nth: number): Promise<Temporal.PlainDateTime | undefined>;
};

/** A window to ask for, and what the plan knows of its surroundings. */
export type Asked = {
  readonly window: Window;
  /** How far down is to be read in the end. What lies above the window was read before, or is not to be. */
  readonly lowest: Temporal.PlainDateTime;
  /** Length of the window, an open end put where orders are to be expected. */
  readonly minutes: number;
  /** Minutes in which a few orders are to be expected. */
  readonly padMinutes: number;
  /** Beyond these nothing may be asked, since the shop fails at what lies there. @default anything may */
  readonly bounds?: Dates | undefined;
};

/** How far beyond each end of a window is asked, in steps. */
export type Reach = { readonly below: number; readonly above: number };

export const NEAREST: Reach = { below: 0, above: 0 };

/** Two orders are reached for, so that an answer without any other still has a row before its last. */
const NEAREST_ORDERS = 2;
/** Nearer ones may have vanished all at once. */
const FARTHER_ORDERS = 20;
/** A known order farther away than this, in lengths of the window, may have any number of unknown ones before it. */
const NEAR_LENGTHS = 1 / 2;
const NEAR_MINUTES = 2 * 24 * 60;
/**
 * Steps of the reach: near; two days farther, which is more than a filter by whole days or in another zone is off; known
 * orders however far; no end at all; then so many days, where no end is too much.
 */
const FARTHER_STEP = 1;
const KNOWN_STEP = 2;
const OPEN_STEP = 3;
const SHOWN_STEP = OPEN_STEP + 1;
const DAYS_FARTHER = 2;
const DAYS_BEYOND = [2, 8, 32, 128, 512, 2048];
const LAST_STEP = OPEN_STEP + DAYS_BEYOND.length;

/** One end of a window: how to look beyond it. */
type End = {
  readonly at: Temporal.PlainDateTime;
  readonly isLast: boolean;
  readonly beyond: (time: Temporal.PlainDateTime, duration: Temporal.DurationLike) => Temporal.PlainDateTime;
  readonly known: (nth: number) => Promise<Temporal.PlainDateTime | undefined>;
  /** Of orders beyond it that an answer showed, the nearest first. */
  readonly shown: readonly Temporal.PlainDateTime[];
};

/**
 * The dates to ask for, so that the answer reaches beyond both ends of a window.
 *
 * @param shown minutes of orders of an answer that was too long
 */
export async function datesFor(
  asked: Asked,
  known: KnownOrders,
  reach: Reach,
  shown: readonly Temporal.PlainDateTime[] = [],
): Promise<Dates> {
  const from = await dateBelow(asked, known, reach.below, shown);
  return { from, to: await dateAbove(asked, known, reach.above, shown) };
}

/** The date to ask from, so that the answer reaches below a window; undefined to leave that end open. */
export async function dateBelow(
  asked: Asked,
  known: KnownOrders,
  step: number,
  shown: readonly Temporal.PlainDateTime[] = [],
): Promise<Temporal.PlainDateTime | undefined> {
  const { window, lowest, bounds } = asked;
  const below: End = {
    at: window.from,
    isLast: window.from.equals(lowest),
    beyond: (time, duration) => time.subtract(duration),
    known: (nth) => known.before(window.from, nth),
    shown: ordersBelow(window, shown),
  };
  const from = isOpenBelow(window) ? undefined : await dateBeyond(asked, below, step);
  return bounds?.from && (!from || isBefore(from, bounds.from)) ? bounds.from : from;
}

async function dateAbove(
  asked: Asked,
  known: KnownOrders,
  step: number,
  shown: readonly Temporal.PlainDateTime[],
): Promise<Temporal.PlainDateTime | undefined> {
  const { window, bounds } = asked;
  const above: End = {
    at: window.to,
    isLast: true,
    beyond: (time, duration) => time.add(duration),
    known: (nth) => known.after(window.to, nth),
    shown: ordersAbove(window, shown),
  };
  const to = isOpenAbove(window) ? undefined : await dateBeyond(asked, above, step);
  return bounds?.to && (!to || isBefore(bounds.to, to)) ? bounds.to : to;
}

/** The next step for the sides that were not reached; undefined where there is none. */
export function farther(
  { below, above }: Reach,
  sides: { readonly below: boolean; readonly above: boolean },
): Reach | undefined {
  const next = { below: below + (sides.below ? 1 : 0), above: above + (sides.above ? 1 : 0) };
  return next.below > LAST_STEP || next.above > LAST_STEP ? undefined : next;
}

/**
 * The step after an answer that was too large: an end that was left out, or lies far off, is set nearer, to the orders that
 * it showed there. Undefined where no end was.
 */
export function nearer(
  dates: Dates,
  window: Window,
  { below, above }: Reach,
  shown: readonly Temporal.PlainDateTime[] = [],
): Reach | undefined {
  const isFar = (date: unknown, isOpen: boolean, step: number, orders: readonly unknown[]) => {
    const isShown = step === FARTHER_STEP && orders.length >= NEAREST_ORDERS;
    return !isOpen && step <= OPEN_STEP && (date === undefined || step > FARTHER_STEP || isShown);
  };
  const isFarBelow = isFar(dates.from, isOpenBelow(window), below, ordersBelow(window, shown));
  const isFarAbove = isFar(dates.to, isOpenAbove(window), above, ordersAbove(window, shown));
  if (!isFarBelow && !isFarAbove) return undefined;
  return { below: isFarBelow ? SHOWN_STEP : below, above: isFarAbove ? SHOWN_STEP : above };
}

const ordersBelow = ({ from }: Window, shown: readonly Temporal.PlainDateTime[]) =>
  shown.filter((time) => isBefore(time, from)).toSorted((one, other) => byTime(other, one));
const ordersAbove = ({ to }: Window, shown: readonly Temporal.PlainDateTime[]) =>
  shown.filter((time) => !isBefore(time, to)).toSorted(byTime);

async function dateBeyond(
  { window, minutes, padMinutes }: Asked,
  end: End,
  step: number,
): Promise<Temporal.PlainDateTime | undefined> {
  const minute = { minutes: 1 };
  const days = DAYS_BEYOND[step - OPEN_STEP - 1];
  const order = end.shown[NEAREST_ORDERS - 1];
  if (step === SHOWN_STEP && order !== undefined) return end.beyond(order, minute);
  if (days !== undefined) return end.beyond(end.at, { days });
  if (step === OPEN_STEP) return undefined;
  const known = await end.known(step === KNOWN_STEP ? FARTHER_ORDERS : NEAREST_ORDERS);
  if (known === undefined) {
    // Where nothing is known to lie beyond, and nothing else is read there, all of it is asked along.
    return end.isLast || step > 0 ? undefined : end.beyond(end.at, { minutes: padMinutes });
  }
  if (step === KNOWN_STEP) return end.beyond(known, minute);
  const near = isNearby(window, minutes, known)
    ? end.beyond(known, minute)
    : end.beyond(end.at, { minutes: padMinutes });
  return step === FARTHER_STEP ? end.beyond(near, { days: DAYS_FARTHER }) : near;
}

function isNearby(window: Window, minutes: number, order: Temporal.PlainDateTime): boolean {
  const distance = isBefore(order, window.from)
    ? minutesBetween(order, window.from)
    : minutesBetween(window.to, order);
  return distance <= Math.max(minutes * NEAR_LENGTHS, NEAR_MINUTES);
}
