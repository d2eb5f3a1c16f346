/**
 * Questions to a shop whose answers mean something only in comparison with other answers of the same run. Those are
 * requested once, when first needed.
 */
import { isRefusal } from '../../model/errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Presence } from '../../plan/orders/unlisted.ts';
import type { RecordResponse } from '../../shop-api/endpoints/get-record.ts';
import { contentLines, type OrderContent } from '../../shop-api/endpoints/order-content.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { readLatestUsers } from '../../warehouse/directory/users.ts';
import { readLargestIds } from '../../warehouse/orders/live-orders.ts';
import { asRecordFault, attempt, once } from './record-faults.ts';

/** Known records to request, to distinguish a "not found" answer from a fault. */
const SAMPLES = 3;
/** Requests before an empty list is taken as such: it may be a fault. */
const LIST_TRIES = 3;

export type Questions = ReturnType<typeof createQuestions>;

/** What the warehouse knows of a shop. @param shopId undefined: the shop is not stored */
export const knownRecords = (db: Db, shopId: number | undefined): KnownRecords => ({
  async ids() {
    const stored = shopId === undefined ? undefined : await readLargestIds(db, shopId);
    return { order: impossibleId(stored?.order ?? 0n), user: impossibleId(stored?.user ?? 0n) };
  },
  knownUsers: async () => (shopId === undefined ? [] : readLatestUsers(db, shopId, SAMPLES)),
});

/** @param known is read when first needed */
export function createQuestions(api: QuestionPorts['api'], known: KnownRecords) {
  const listed = once(async (signal) => {
    for (let tried = 1; ; tried++) {
      const page = await attempt(api.listOrders({ limit: SAMPLES }, signal), signal);
      // What is no list does not show that the shop works.
      if (page === undefined || page.received > 0 || tried === LIST_TRIES)
        return page?.emptyForm === undefined ? page?.rows : undefined;
    }
  });
  const ports = { api, ...known, ids: once(known.ids), listed };
  return { ...askPresence(ports), user: askUser(ports) };
}

/** The largest numbers of 32 and 64 bits, and one between: a shop answers for what its numbers can hold at all. */
const CANDIDATES = [2n ** 31n - 1n, 999_999_999_999_999n, 2n ** 63n - 1n] as const;

/** An identifier that nothing in a shop can have: far above all others, and no larger than it must be. */
export function impossibleId(largest: bigint): string {
  return String(CANDIDATES.find((candidate) => candidate / 2n > largest) ?? CANDIDATES[2]);
}

/** Ids that no order and no user of the shop can have. */
export type ImpossibleIds = { readonly order: string; readonly user: string };

type KnownRecords = {
  readonly ids: (signal: AbortSignal) => Promise<ImpossibleIds>;
  /** Some users that the shop served before, the latest first. */
  readonly knownUsers: () => Promise<readonly string[]>;
};

export type QuestionPorts = KnownRecords & {
  readonly api: Pick<ShopApi, 'listOrders' | 'orderResponse' | 'user' | 'userResponse'>;
  /** Some orders that the list shows; undefined where the list could not be read. */
  readonly listed: (signal: AbortSignal) => Promise<readonly { readonly orderId: string }[] | undefined>;
};

/**
 * Asks whether an order exists, and compares the answer with that for an order that cannot exist. A broken shop may
 * answer everything alike, so "gone" counts only while the shop is seen to work: by a content received in this run, or
 * by requesting orders that the list shows.
 */
function askPresence({ api, ids, listed }: QuestionPorts) {
  let hasContent = false;
  const calibrated = once(async (signal) =>
    attempt(api.orderResponse((await ids(signal)).order, signal), signal),
  );
  const isContentServed = once(async (signal) => {
    const impossible = await calibrated(signal);
    for (const { orderId } of (await listed(signal)) ?? []) {
      const answer = await attempt(api.orderResponse(orderId, signal), signal);
      if (countLines(answer) !== undefined && answer?.kind.shape !== impossible?.kind.shape) return true;
    }
    return false;
  });
  /** Repeats the impossible request: its first answer may have been a temporary fault. */
  const isRepeatable = once(async (signal) => {
    const again = await attempt(api.orderResponse((await ids(signal)).order, signal), signal);
    return again?.kind.shape === (await calibrated(signal))?.kind.shape;
  });
  return {
    recordContent() {
      hasContent = true;
    },
    /** Whether the shop still has an order. @throws UnavailableError, the signal's reason */
    async presence(orderId: string, signal: AbortSignal): Promise<Presence> {
      const impossible = await calibrated(signal);
      // A shop that serves lines of an order that cannot exist may serve those of a deleted one, too.
      if (impossible === undefined || (countLines(impossible) ?? 0) > 0) return 'unknown';
      const answer = await attempt(api.orderResponse(orderId, signal), signal);
      if (answer === undefined) return 'unknown';
      const lines = countLines(answer);
      if ((lines ?? 0) > 0) hasContent = true;
      if (answer.kind.shape !== impossible.kind.shape) return lines === undefined ? 'unknown' : 'served';
      const isWell = hasContent || (await isContentServed(signal));
      const isUsual = impossible.kind.control === 'none' || (isWell && (await isRepeatable(signal)));
      return isWell && isUsual ? 'gone' : 'unknown';
    },
  };
}

/** Undefined for anything but a content, and for one without any list: that is no evidence that contents are served. */
const countLines = (answer: RecordResponse<OrderContent> | undefined) =>
  answer?.found && contentLines(answer.found.raw)?.length;

const DENIED = 'the shop answers "no such user" for every user, even for users that it served before';

type UserFinding =
  | { readonly kind: 'found'; readonly raw: JsonObject }
  | { readonly kind: 'not-found' }
  /** `reason`: a sentence without values. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Asks for a user, and compares the answer with that for a user that cannot exist to learn whether there is one. */
function askUser({ api, ids, listed, knownUsers }: QuestionPorts) {
  let hasUser = false;
  /** Users that were served before and are denied now; empty if any of them is served. */
  const deniedNow = once(async (signal) => {
    const known = await knownUsers();
    for (const userOid of known) {
      const reply = await attempt(api.userResponse(userOid, signal), signal);
      if (reply?.found !== undefined) hasUser = true;
      if (hasUser) return [];
    }
    return known;
  });
  /** A broken route also denies users that it served before; without such users there is no telling. */
  const areAllDenied = async (userOid: string, signal: AbortSignal): Promise<boolean> => {
    if (hasUser) return false;
    const others = (await deniedNow(signal)).filter((other) => other !== userOid);
    return !hasUser && others.length > 0;
  };
  const calibrated = once(async (signal) =>
    attempt(api.userResponse((await ids(signal)).user, signal), signal),
  );
  /** Whether the answer is the one that the shop gives for users that do not exist. */
  const isNotFoundAnswer = async (
    { kind }: RecordResponse<unknown>,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const impossible = await calibrated(signal);
    if (impossible?.found !== undefined || impossible?.kind.shape !== kind.shape) return false;
    if (kind.control === 'none' || hasUser) return true;
    return kind.control === 'list' && (await listed(signal)) !== undefined;
  };
  /** @throws TerminalError where the shop refuses the user; UnavailableError, the signal's reason */
  return async (userOid: string, signal: AbortSignal): Promise<UserFinding> => {
    const reply = await attempt(api.userResponse(userOid, signal), signal);
    if (reply?.found !== undefined) {
      hasUser = true;
      return { kind: 'found', raw: reply.found.raw };
    }
    // Some shops report missing users as a server error; usually it is a real one, and temporary.
    const isStrong = reply !== undefined && reply.kind.control !== 'record';
    if (isStrong && (await isNotFoundAnswer(reply, signal))) {
      const isDown = await areAllDenied(userOid, signal);
      return isDown ? { kind: 'unknown', reason: DENIED } : { kind: 'not-found' };
    }
    try {
      const again = await api.user(userOid, signal);
      if (again.kind === 'found') return { kind: 'found', raw: again.raw };
      const reason = 'the shop answers neither with this user nor with its usual "no such user"';
      return { kind: 'unknown', reason };
    } catch (error) {
      const fault = asRecordFault(error, signal);
      if (reply !== undefined && !isStrong && (await isNotFoundAnswer(reply, signal)))
        return { kind: 'not-found' };
      if (isRefusal(fault)) throw fault;
      return { kind: 'unknown', reason: fault.message };
    }
  };
}
