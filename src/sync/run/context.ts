/** What runs and sweeps work with: ports, which stay as they are, and state, which changes. */
import type { Privacy } from '../../normalize/privacy/privacy.ts';
import type { FreshnessPolicy } from '../../plan/days/freshness.ts';
import type { LoadEstimate } from '../../plan/load/load-cost.ts';
import type { PagingBook } from '../../shop-api/paging/request-page.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { Db } from '../../warehouse/db/database.ts';
import type { FieldResource } from '../../warehouse/ops/payload-fields.ts';
import type { FindingCause } from '../../model/alert-facts.ts';
import type { Lease } from '../../warehouse/ops/lease.ts';
import type { Questions } from '../ask/questions.ts';
import type { LeaseHeartbeat } from './shop-lease.ts';
import type { ShopState } from './shop-state.ts';

/** One shop as every run needs to know it. */
export type RunShop = {
  readonly shopKey: string;
  /** IANA zone of the shop's times. */
  readonly timezone: string;
  /** Secret for the hashes that identify guests in `customer_key`; undefined: the one stored in the warehouse. */
  readonly guestSecret: string | undefined;
  /** Store no person; `keptFields` are extra fields of orders and users that name none. @default persons are stored */
  readonly pseudonymize?: { readonly keptFields: readonly string[] } | undefined;
};

/** One shop as runs with requests to it need to know it. */
export type ShopSettings = RunShop & {
  readonly baseUrl: string;
  /** `limit` of list requests. */
  readonly pageLimit: number;
  /** First day to load; undefined: that of the shop's first order. */
  readonly historyFrom: Temporal.PlainDate | undefined;
  readonly freshness: FreshnessPolicy;
  readonly linesMaxAgeMs: number;
  readonly usersMaxAgeMs: number;
  readonly groupsMaxAgeMs: number;
  /** How often the shop is asked to count its orders; 0: never. */
  readonly countEveryMs: number;
};

/** The only way to log: a constant message, and data without personal values. */
export type Logger = {
  debug(data: Readonly<Record<string, unknown>>, message: string): void;
  info(data: Readonly<Record<string, unknown>>, message: string): void;
  warn(data: Readonly<Record<string, unknown>>, message: string): void;
};

/** Input of a run over a registered shop. */
export type RunContext = {
  readonly db: Db;
  readonly shop: RunShop;
  readonly logger: Logger;
  readonly now: () => Temporal.Instant;
  /** Aborted when the process should stop; with a TransientError when the run should end as failed. */
  readonly signal: AbortSignal;
  /** Version of the program, recorded with the run. */
  readonly version: string;
  /** The shop's lease, where the caller has it. @default the run takes it */
  readonly heartbeat?: LeaseHeartbeat | undefined;
  /** Whether the run refreshes the summaries; if not, its process does. @default true */
  readonly refreshesSummaries?: boolean;
  /** Whether to recreate the guests' customer keys. @default false */
  readonly rekey?: boolean;
  /** How long recorded runs and settled rejections are kept. @default for ever */
  readonly runsKeptMs?: number;
  /** How long the shop's answers are kept in `raw`. @default for ever */
  readonly rawKeptMs?: number | undefined;
};

export type ShopContext = RunContext & { readonly api: ShopApi; readonly shop: ShopSettings };

/** What every run works with, as long as its lease lasts. */
export type RunPorts = Omit<RunContext, 'shop' | 'version' | 'heartbeat' | 'refreshesSummaries' | 'rekey'> & {
  readonly lease: Lease;
  readonly shop: RunShop;
  /** One for all guests of the shop, as it was settled. */
  readonly guestSecret: string;
  /** What may be stored of persons. */
  readonly privacy: Privacy;
};

/** The same for a run with requests to the shop. Its signal is aborted when it is interrupted or loses its lease. */
export type Ports = RunPorts & { readonly api: ShopApi; readonly shop: ShopSettings };

/** What every run changes: the shop's state, and how the run goes. */
export type RunState = ShopState &
  Omit<PagingBook, 'profile'> & {
    readonly counters: Counters;
    /** A sentence for each day that could not be verified and each order or user that could not be read. */
    readonly problems: string[];
  };

/** A run without requests to the shop, and one with them. */
export type OpenedRun = { readonly ports: RunPorts; readonly state: RunState };
export type Run = { readonly ports: Ports; readonly state: RunState };

/** What a sweep works with besides. */
type SweepPorts = Ports & {
  /** Requests for single records, whose answers are compared with each other. */
  readonly questions: Questions;
  /** What is left of the time budget; less than nothing when it is over. */
  readonly leftMs: () => number;
  /** Whether the time budget allows another request: after it, nothing new is started, and started work is finished. */
  readonly hasTimeLeft: () => boolean;
  /** Ends the sweep with an error: nothing else is requested, and what has come is written. */
  readonly fail: (error: unknown) => void;
  /** The operator accepts that any number of orders disappears. */
  readonly acceptsMissing: boolean;
  /** When each field of the shop's list rows was seen first; read once. */
  readonly fieldTimes: (signal: AbortSignal) => Promise<ReadonlyMap<string, Temporal.Instant>>;
};

/** What a sweep changes besides; nothing of it outlives the sweep but what it writes itself. */
type SweepState = RunState & {
  /** When it began. */
  readonly began: Temporal.Instant;
  /** Days that it verified, and days that it failed to verify: no later window of these does. */
  readonly verified: Set<string>;
  readonly failed: Set<string>;
  /** What it looked at, with a sentence where it found something wrong: alerts are raised from it. */
  readonly found: Partial<Record<FindingCause, string | undefined>>;
  /** Names of the fields of the records that were loaded. */
  readonly fields: Readonly<Record<FieldResource, Set<string>>>;
  /** Why lines could not be fetched, by order. */
  readonly lineFailures: Map<string, string>;
  /** The estimated cost; undefined: it was not requested, or the shop gives no total. */
  estimate: SweepEstimate | undefined;
  phase: Progress['phase'];
};

export type Sweep = { readonly ports: SweepPorts; readonly state: SweepState };

export type SweepEstimate = LoadEstimate & {
  readonly orders: number;
  /** Orders in the days to be read, with those that the warehouse holds already. */
  readonly listed: number;
};

export type RunOutcome<Result> = Result & {
  readonly status: 'ok' | 'partial';
  /** Why it is partial: a sentence for each cause. */
  readonly problems: readonly string[];
};

/** Running figures of a run, named as the columns of `ops.runs` where they end there. */
export type Counters = ReturnType<typeof newCounters>;

export function newCounters() {
  return {
    days_verified: 0,
    orders_seen: 0,
    orders_new: 0,
    orders_changed: 0,
    orders_missing: 0,
    rejections: 0,
    /** Orders of which it was confirmed that they are deleted. */
    ordersDeleted: 0,
    /** Rejections that were not open before: they make a run partial. */
    newRejections: 0,
    usersDone: 0,
    /** Days that were not due when it began, and that counts led to. */
    daysAdded: 0,
    /** Orders that were read so far, with the lines of those that changed; the last of them are not written yet. */
    ordersRead: 0,
    /** It changed something: the row of a sync that did not, and ended well, is removed. */
    hasWritten: false,
    /** Windows that were read whole, and those that changed while they were read. */
    windowsProven: 0,
    windowsUnproven: 0,
  };
}

export type Progress = {
  readonly phase: 'orders' | 'users';
  /** Undefined until the shop's first order is found. */
  readonly days_due: number | undefined;
  readonly days_verified: number;
  /** Orders of the days to be read, as estimated; undefined where that is unknown. */
  readonly orders_total: number | undefined;
  readonly orders_read: number;
  /** Orders of the windows that were read and written whole. */
  readonly orders_seen: number;
  /** Orders that were added or changed in the warehouse. */
  readonly orders_stored: number;
  readonly users: number;
  readonly requests: number;
  /** By its pace so far, and what was estimated or is due. */
  readonly seconds_left: number | undefined;
};
