/** What runs and sweeps work with: ports, which stay as they are, and state, which changes. */
import type { FreshnessPolicy } from '../../plan/freshness.ts';
import type { Faults } from '../../shop-api/paging/faults.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { Db } from '../../warehouse/db/database.ts';
import type { Lease } from '../../warehouse/ops/lease.ts';
import type { Questions } from './questions.ts';
import type { ShopState } from './shop-state.ts';

/** One shop as every run needs to know it. */
export type RunShop = {
  readonly shopKey: string;
  /** IANA zone of the shop's times. */
  readonly timezone: string;
  /** Secret of the hashes that stand for guests in `customer_key`; undefined: the one that the warehouse keeps. */
  readonly guestSecret: string | undefined;
};

/** One shop as a run that asks it needs to know it. */
export type ShopSettings = RunShop & {
  readonly baseUrl: string;
  /** `limit` of list requests. */
  readonly pageLimit: number;
  /** First day to hold; found by asking the shop when undefined. */
  readonly historyFrom: Temporal.PlainDate | undefined;
  readonly freshness: FreshnessPolicy;
  readonly linesMaxAgeMs: number;
  readonly usersMaxAgeMs: number;
  readonly groupsMaxAgeMs: number;
};

/** What is logged goes through this one method: a constant message, and figures that hold no personal data. */
export type Logger = {
  debug(data: Readonly<Record<string, unknown>>, message: string): void;
  info(data: Readonly<Record<string, unknown>>, message: string): void;
  warn(data: Readonly<Record<string, unknown>>, message: string): void;
};

/** What a run over a registered shop is given. */
export type RunContext = {
  readonly db: Db;
  readonly shop: RunShop;
  readonly logger: Logger;
  readonly now: () => Temporal.Instant;
  /** Aborted when the process is asked to stop; with a TransientError, when the run is to end as failed. */
  readonly signal: AbortSignal;
  /** Version of the program, kept with the run. */
  readonly version: string;
  /** How long to wait for another process that holds the shop. @default 0 */
  readonly leaseWaitMs?: number;
  /** The guests' customer keys are to be made anew. @default false */
  readonly rekey?: boolean;
};

/** What a run that asks the shop is given. */
export type ShopContext = RunContext & { readonly api: ShopApi; readonly shop: ShopSettings };

/** The secret with which all guests of the shop are hashed is settled. */
type Settled = { readonly guestSecret: string };

/** What every run works with, as long as its lease lasts. */
export type RunPorts = Omit<RunContext, 'shop' | 'version' | 'leaseWaitMs' | 'rekey'> & {
  readonly lease: Lease;
  readonly shop: RunShop & Settled;
};

/** The same of a run that asks the shop. Its signal is aborted when it must stop: interrupted, or its lease lost. */
export type Ports = RunPorts & { readonly api: ShopApi; readonly shop: ShopSettings & Settled };

/** What every run changes: what is remembered of the shop, and how the run goes. */
export type RunState = ShopState & {
  readonly counters: Counters;
  /** A sentence for each day that could not be verified and each order or user that could not be read. */
  readonly problems: string[];
};

/** What a sweep changes besides. */
export type SweepState = RunState & {
  /** List requests that failed while others were answered. @default none did */
  faults?: Faults;
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
  /** Questions about single records, of which the answers mean something beside each other. */
  readonly questions: Questions;
  readonly recognition: Recognition;
  /** Orders may vanish in any number: the operator said so. */
  readonly acceptsMissing: boolean;
};

/** Whether answers are those of the shop that the warehouse holds. */
type Recognition = {
  /** What was first seen before this is evidence: it did not come with the answers in question. */
  readonly began: Temporal.Instant;
  /** A list of this run showed orders that are held. */
  isSeen: boolean;
};

/** A run that asks the shop, and a sweep. */
export type Run = { readonly ports: Ports; readonly state: RunState };
export type Sweep = { readonly ports: Ports; readonly state: SweepState };

/** The part of a sweep that a function works with. */
export type Needs<Port extends keyof Ports, Changed extends keyof SweepState = never> = {
  readonly ports: Pick<Ports, Port>;
  readonly state: Pick<SweepState, Changed>;
};

export type RunOutcome<Result> = Result & {
  readonly status: 'ok' | 'partial';
  /** Why it is partial: a sentence for each cause. */
  readonly problems: readonly string[];
};

/** Running figures of a run, named as the columns of `ops.runs` where they end there. */
export type Counters = {
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
};

export function newCounters(): Counters {
  const counts = { days_verified: 0, orders_seen: 0, orders_new: 0, orders_changed: 0, orders_missing: 0 };
  return { ...counts, rejections: 0, newRejections: 0, usersDone: 0, windowsProven: 0, windowsUnproven: 0 };
}

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
