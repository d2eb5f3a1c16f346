import type { JsonObject } from '../../json.ts';
import type { Presence } from '../../plan/unlisted.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';

/** Ids that no order and no user of the shop can have. */
export type ImpossibleIds = { readonly order: string; readonly user: string };

/**
 * Questions to a shop whose answers mean something only in comparison with other answers of the same run. Those are
 * requested once, when first needed.
 */
export type Questions = {
  /**
   * Whether the shop still has an order. `seems-gone`: a temporary fault would look the same, so another list should
   * confirm it.
   *
   * @param isControlled whether even the shop's usual "not found" counts only if some content was served in this run
   * @throws UnavailableError, the signal's reason
   */
  presence(orderId: string, isControlled: boolean, signal: AbortSignal): Promise<Presence | 'seems-gone'>;
  /** @throws TerminalError where the shop refuses the user; UnavailableError, the signal's reason */
  user(userOid: string, signal: AbortSignal): Promise<UserFinding>;
  /** Records that the shop served the content of some order. */
  recordContent(): void;
};

/** What the shop says about a user. */
type UserFinding =
  | { readonly kind: 'found'; readonly raw: JsonObject }
  | { readonly kind: 'not-found' }
  | {
      readonly kind: 'unknown';
      /** Why; a sentence without values. */
      readonly reason: string;
      /** The shop may soon answer differently. */
      readonly isPassing: boolean;
    };

/** What the questions share. */
export type QuestionPorts = {
  readonly api: Pick<ShopApi, 'listOrders' | 'orderResponse' | 'user' | 'userResponse'>;
  readonly ids: (signal: AbortSignal) => Promise<ImpossibleIds>;
  /** Some users that the shop served before, the latest first. */
  readonly knownUsers: () => Promise<readonly string[]>;
  /** Some orders that the list shows; undefined where the list could not be read. */
  readonly listed: (signal: AbortSignal) => Promise<readonly { readonly orderId: string }[] | undefined>;
};
