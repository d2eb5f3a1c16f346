/** Everything the simulated shop holds, made from a seed. */
import type { JsonValue } from '../../model/json.ts';
import { makeBuyers } from './buyers.ts';
import { makeCatalogue } from './catalogue.ts';
import type { Dialect } from './dialect.ts';
import {
  makeDirectory,
  makeGroups,
  makeUsers,
  type ShopSpan,
  type SimGroup,
  type UserDirectory,
} from './sim-users.ts';
import { clockGaps, DAY_S, localSeconds } from './shop-clock.ts';
import { makeOrder, type OrderSource } from './order-maker.ts';
import { OrderStore } from './order-store.ts';
import { Random } from './random.ts';
import type { SimOrder } from './sim-order.ts';
import { orderTimes } from './timeline.ts';

/** Fields that replace a record's own; an undefined one is omitted. */
export type RawFields = Readonly<Record<string, JsonValue | undefined>>;

/** By order id. */
type Overrides = {
  readonly rows: Map<number, RawFields>;
  readonly contents: Map<number, readonly JsonValue[]>;
};

export type World = {
  readonly seed: number;
  readonly timezone: string;
  /** May change while the shop is served. */
  dialect: Dialect;
  readonly groups: readonly SimGroup[];
  readonly directory: UserDirectory;
  readonly orders: OrderStore;
  readonly source: OrderSource;
  readonly overrides: Overrides;
  /** Single records that the shop refuses to show. */
  readonly refusals: Set<string>;
  /** The orders as they were when `total` became `stale`, or `contents` `cached`. */
  earlier: OrderStore | undefined;
};

type WorldSettings = {
  readonly orders: number;
  readonly days: number;
  readonly seed: number;
  readonly timezone: string;
  readonly now: Temporal.Instant;
  readonly dialect: Dialect;
};

const FIRST_ORDER_ID = 100_000;
const LARGEST_ID_STEP = 4;
const MAX_DAYS = 36_500;
/** A shop with at least this many orders also has many groups. */
const CROWDED_FROM = 300;

/**
 * The same settings give the same world.
 *
 * @throws RangeError for an invalid number of orders or days, or an unknown zone
 */
export function makeWorld(settings: WorldSettings): World {
  const { seed, timezone, dialect, orders, days } = settings;
  if (!Number.isInteger(orders) || orders < 0) {
    throw new RangeError(`orders must be a whole number of 0 or more, not ${orders}`);
  }
  if (!(days > 0 && days <= MAX_DAYS)) {
    throw new RangeError(`days must be above 0 and at most ${MAX_DAYS}, not ${days}`);
  }
  const now = localSeconds(settings.now, timezone);
  const span = { from: now - Math.round(days * DAY_S), to: now + 1 };
  const groups = makeGroups(seed, span.from, orders >= CROWDED_FROM);
  const users = makeUsers(seed, Math.max(20, Math.round(orders / 5)), groups, span);
  const pickBuyer = makeBuyers({
    seed,
    users,
    guests: Math.max(10, Math.round(orders / 4)),
    span,
    hasSharedKeys: dialect.userKeys === 'shared',
  });
  const catalogue = makeCatalogue(seed);
  const source = { seed, catalogue, pickBuyer, hasCustomStatuses: dialect.statuses === 'custom' };
  const world = {
    seed,
    timezone,
    dialect,
    groups,
    directory: makeDirectory(users),
    orders: new OrderStore(makeOrders(source, settings, span)),
    source,
    overrides: { rows: new Map(), contents: new Map() },
    refusals: new Set<string>(),
    earlier: undefined,
  };
  changeDialect(world, dialect);
  return world;
}

/** Sets the dialect. Orders made with other `ids`, `statuses` and `userKeys` stay as they are. */
export function changeDialect(world: World, dialect: Dialect): void {
  world.dialect = dialect;
  const isStale = dialect.total === 'stale' || dialect.contents === 'cached';
  world.earlier = isStale ? new OrderStore(world.orders.sorted.map(({ order }) => order)) : undefined;
}

function makeOrders(source: OrderSource, settings: WorldSettings, span: ShopSpan): readonly SimOrder[] {
  const gaps = clockGaps(span.from, span.to, settings.timezone);
  const times = orderTimes(settings.seed, settings.orders, span, gaps);
  const random = new Random(settings.seed, 'ids');
  let lastId = FIRST_ORDER_ID;
  const ascending = times.map(() => (lastId += nextIdStep(random)));
  const ids = settings.dialect.ids === 'shuffled' ? random.shuffled(ascending) : ascending;
  return times.map((time, index) => makeOrder(source, index, ids[index] ?? 0, time, span.to - 1));
}

/** Ids have gaps: a shop also numbers baskets that never become orders. */
export function nextIdStep(random: Random): number {
  return random.between(1, LARGEST_ID_STEP);
}

/** The content of an order (by id), a user (by oid), all groups, or an order's row, without which no page can be written. */
type RefusedKind = 'order' | 'row' | 'user' | 'groups';

/** @param id none for the groups */
export const refusal = (kind: RefusedKind, id = 0) => `${kind} ${id}`;
