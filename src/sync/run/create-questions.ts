import { askPresence } from './ask-presence.ts';
import { askUser } from './ask-user.ts';
import type { ImpossibleIds, QuestionPorts, Questions } from './questions.ts';
import { attempt, once } from './record-faults.ts';

/** Records by which it is made sure that a refusal is a word, and not a fault. */
const SAMPLES = 3;
/** A list that is empty is asked for again: some are so by mistake. */
const LIST_TRIES = 3;

/** What the questions need of the warehouse; it is read when it is needed first. */
export type QuestionSources = {
  readonly readIds: () => Promise<ImpossibleIds>;
  /** @param limit how many */
  readonly readKnownUsers: (limit: number) => Promise<readonly string[]>;
};

export function createQuestions(api: QuestionPorts['api'], sources: QuestionSources): Questions {
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
