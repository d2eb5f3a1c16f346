/**
 * Questions to a shop whose answers mean something only in comparison with other answers of the same run. Those are
 * requested once, when first needed.
 */
import { askPresence, type ImpossibleIds, type QuestionPorts } from './ask-presence.ts';
import { askUser } from './ask-user.ts';
import { attempt, once } from './record-faults.ts';

/** Known records to request, to tell a "not found" answer from a fault. */
const SAMPLES = 3;
/** Requests before an empty list is taken as such: it may be a fault. */
const LIST_TRIES = 3;

/** What the questions need from the warehouse; read on first use. */
type QuestionSources = {
  readonly readIds: () => Promise<ImpossibleIds>;
  /** @param limit number of users */
  readonly readKnownUsers: (limit: number) => Promise<readonly string[]>;
};

export type Questions = ReturnType<typeof createQuestions>;

export function createQuestions(api: QuestionPorts['api'], sources: QuestionSources) {
  const listed = once(async (signal) => {
    for (let tried = 1; ; tried++) {
      const page = await attempt(api.listOrders({ limit: SAMPLES }, signal), signal);
      if (page === undefined || page.received > 0 || tried === LIST_TRIES) return page?.rows;
    }
  });
  const knownUsers = () => sources.readKnownUsers(SAMPLES);
  const ports = { api, listed, knownUsers, ids: once(sources.readIds) };
  return { ...askPresence(ports), user: askUser(ports) };
}

/** The largest numbers of 32 and 64 bits, and one between: a shop answers for what its numbers can hold at all. */
const CANDIDATES = [2n ** 31n - 1n, 999_999_999_999_999n, 2n ** 63n - 1n] as const;

/**
 * An identifier that nothing in a shop can have: far above all others, and no larger than it must be.
 *
 * @param largest the largest identifier that is known to be in use
 */
export function impossibleId(largest: bigint): string {
  return String(CANDIDATES.find((candidate) => candidate / 2n > largest) ?? CANDIDATES[2]);
}
