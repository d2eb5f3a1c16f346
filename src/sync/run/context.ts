import type { Audit } from '../../plan/audit-due.ts';
import type { FreshnessPolicy } from '../../plan/freshness.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { PagingBook } from '../../shop-api/paging/paging-deps.ts';
import type { Db } from '../../warehouse/db/database.ts';
import type { Lease } from '../../warehouse/ops/lease.ts';
import type { Questions } from './questions.ts';
import type { Recognition } from './recognize-shop.ts';

/** One shop as the sync needs to know it. */
export type ShopSettings = {
  readonly shopKey: string;
  readonly baseUrl: string;
  /** IANA zone of the shop's times. */
  readonly timezone: string;
  /** `limit` of list requests. */
  readonly pageLimit: number;
  /** First day to hold; found by asking the shop when undefined. */
  readonly historyFrom: Temporal.PlainDate | undefined;
  readonly freshness: FreshnessPolicy;
  readonly linesMaxAgeMs: number;
  readonly usersMaxAgeMs: number;
  readonly groupsMaxAgeMs: number;
  /** Secret of the hashes that stand for guests in `customer_key`; undefined: the one that the warehouse keeps. */
  readonly guestSecret: string | undefined;
};

/** What is logged goes through this one method: a constant message, and figures that hold no personal data. */
export type Logger = {
  debug(data: Readonly<Record<string, unknown>>, message: string): void;
  info(data: Readonly<Record<string, unknown>>, message: string): void;
  warn(data: Readonly<Record<string, unknown>>, message: string): void;
};

/** How far a sweep has come, for people who watch it. */
export type Progress = {
  readonly phase: 'orders' | 'users';
  /** Undefined until the shop's first order is found. */
  readonly daysTotal: number | undefined;
  readonly daysDone: number;
  readonly orders: number;
  readonly users: number;
  readonly requests: number;
};

/** All that a sweep works with. It lives as long as the lease does. */
export type SweepDeps = {
  readonly api: ShopApi;
  readonly db: Db;
  readonly shop: ShopSettings;
  /** The one with which all guests of the shop are hashed. */
  readonly guestSecret: string;
  readonly lease: Lease;
  readonly logger: Logger;
  readonly now: () => Temporal.Instant;
  /** Aborted when the sweep must stop: interrupted, or its lease lost. */
  readonly signal: AbortSignal;
  readonly tally: Tally;
  readonly book: PagingBook;
  /** Days of this sweep that were verified, of which something changed, and whose orders vanished in doubtful numbers. */
  readonly days: {
    readonly verified: Set<string>;
    readonly changed: Set<string>;
    readonly doubtful: Set<string>;
    /** An order came to them, left them, or was moved within them since they were read before. */
    readonly restless: Set<string>;
    /** Read in several parts while they were restless: to be read once more. */
    readonly unconfirmed: Set<string>;
  };
  /** Orders that no list returned though they were not said to be gone, and since when by the database's clock; kept from
   * run to run. */
  readonly doubted: Map<string, Temporal.Instant>;
  /** Questions about single records, of which the answers mean something beside each other. */
  readonly questions: Questions;
  /** Whether the shop is the one that the warehouse holds. */
  readonly recognition: Recognition;
  /** How the list was last read without dates. */
  readonly audit: { last: Audit | undefined };
  /** Orders may vanish in any number: the operator said so. */
  readonly acceptsMissing: boolean;
};

/** Running figures of a sweep, named as the columns of `ops.runs` where they end there. */
export type Tally = {
  days_verified: number;
  orders_seen: number;
  orders_new: number;
  orders_changed: number;
  orders_missing: number;
  rejections: number;
  /** Rejections that were not open before: they make a run partial. */
  newRejections: number;
  usersDone: number;
  /** Windows that were read whole, and those that moved while they were read. */
  windowsProven: number;
  windowsUnproven: number;
  /** A sentence for each day that could not be verified and each order or user that could not be read. */
  readonly shortfalls: string[];
};

export function emptyTally(): Tally {
  const counts = { days_verified: 0, orders_seen: 0, orders_new: 0, orders_changed: 0, orders_missing: 0 };
  const others = { newRejections: 0, usersDone: 0, windowsProven: 0, windowsUnproven: 0 };
  return { ...counts, rejections: 0, ...others, shortfalls: [] };
}
