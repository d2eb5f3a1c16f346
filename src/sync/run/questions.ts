import type { JsonObject } from '../../json.ts';
import type { Presence } from '../../shop-api/response-kind.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';

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

/** What the shop says of a user. */
type UserFinding =
  | { readonly kind: 'found'; readonly raw: JsonObject }
  | { readonly kind: 'not-found' }
  | {
      readonly kind: 'unknown';
      /** Why; a sentence without values. */
      readonly reason: string;
      /** The shop may answer otherwise soon. */
      readonly isPassing: boolean;
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
