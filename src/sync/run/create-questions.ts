import { askPresence } from './ask-presence.ts';
import { askUser } from './ask-user.ts';
import type { ImpossibleIds, QuestionPorts, Questions } from './questions.ts';
import { attempt, once } from './record-faults.ts';

/** Known records to request, to tell a "not found" answer from a fault. */
const SAMPLES = 3;
/** Requests before an empty list is taken as such: it may be a fault. */
const LIST_TRIES = 3;

/** What the questions need from the warehouse; read on first use. */
export type QuestionSources = {
  readonly readIds: () => Promise<ImpossibleIds>;
  /** @param limit number of users */
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
