import type { Presence } from '../../shop-api/response-kind.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import { askPresence } from './ask-presence.ts';
import { askUser, type UserFinding } from './ask-user.ts';
import { attempt, once } from './record-faults.ts';

/** Identifiers that no order and no user of the shop can have. */
export type ImpossibleIds = { readonly order: string; readonly user: string };

/**
 * Questions to a shop whose answers mean something only beside other answers of the same run. What those are is asked
 * once, when it is needed first.
 */
export type Questions = {
  /**
   * Whether the shop still has an order. `seems-gone`: by a word that a passing fault says as well, which some other list
   * should confirm.
   *
   * @param isControlled whether the shop's usual word is believed only beside a content that is answered properly
   * @throws UnavailableError, the signal's reason
   */
  presence(orderId: string, isControlled: boolean, signal: AbortSignal): Promise<Presence | 'seems-gone'>;
  /** @throws TerminalError where the shop refuses the user; UnavailableError, the signal's reason */
  user(userOid: string, signal: AbortSignal): Promise<UserFinding>;
  /** Notes that the content of some order was answered properly. */
  contentCame(): void;
};

/** What the questions share. */
export type QuestionPorts = {
  readonly api: Pick<ShopApi, 'listOrders' | 'orderResponse' | 'user' | 'userResponse'>;
  readonly ids: (signal: AbortSignal) => Promise<ImpossibleIds>;
  /** Some users that the shop served before, the latest first. */
  readonly knownUsers: () => Promise<readonly string[]>;
  /** Some orders that the list shows; undefined where it was not answered properly. */
  readonly listed: (signal: AbortSignal) => Promise<readonly { readonly orderId: string }[] | undefined>;
};

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
