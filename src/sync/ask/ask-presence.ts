import { judgePresence, type Presence } from '../../plan/orders/unlisted.ts';
import type { ResponseKind } from '../../shop-api/wire/response-kind.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import { attempt, once } from './record-faults.ts';

/** Ids that no order and no user of the shop can have. */
export type ImpossibleIds = { readonly order: string; readonly user: string };

/** What the questions share. */
export type QuestionPorts = {
  readonly api: Pick<ShopApi, 'listOrders' | 'orderResponse' | 'user' | 'userResponse'>;
  readonly ids: (signal: AbortSignal) => Promise<ImpossibleIds>;
  /** Some users that the shop served before, the latest first. */
  readonly knownUsers: () => Promise<readonly string[]>;
  /** Some orders that the list shows; undefined where the list could not be read. */
  readonly listed: (signal: AbortSignal) => Promise<readonly { readonly orderId: string }[] | undefined>;
};

export type PresenceQuestions = {
  /**
   * Whether the shop still has an order. `seems-gone`: a temporary fault would look the same, so another list should
   * confirm it.
   *
   * @param isControlled whether even the shop's usual "not found" counts only if some content was served in this run
   * @throws UnavailableError, the signal's reason
   */
  presence(orderId: string, isControlled: boolean, signal: AbortSignal): Promise<Presence | 'seems-gone'>;
  /** Records that the shop served the content of some order. */
  recordContent(): void;
};

type Control = ResponseKind['control'];

/**
 * Asks whether an order exists, and compares the answer with that for an order that cannot exist. A broken shop may
 * answer everything alike, so "gone" counts only while the shop is seen to work: by a content received in this run, or
 * by requesting orders that the list shows.
 */
export function askPresence(ports: QuestionPorts): PresenceQuestions {
  const { api, ids, listed } = ports;
  let hasContent = false;
  const calibrated = once(async (signal) =>
    attempt(api.orderResponse((await ids(signal)).order, signal), signal),
  );
  const isContentServed = once(async (signal) => {
    const impossible = await calibrated(signal);
    for (const { orderId } of (await listed(signal)) ?? []) {
      const answer = await attempt(api.orderResponse(orderId, signal), signal);
      if (answer?.lines !== undefined && answer.kind.shape !== impossible?.kind.shape) return true;
    }
    return false;
  });
  /** Repeats the impossible request: its first answer may have been a temporary fault. */
  const isRepeatable = once(async (signal) => {
    const again = await attempt(api.orderResponse((await ids(signal)).order, signal), signal);
    return again?.kind.shape === (await calibrated(signal))?.kind.shape;
  });
  const isCredible = async (control: Control, isControlled: boolean, signal: AbortSignal) => {
    const isSpared = !isControlled && control !== 'record';
    const isWell = hasContent || isSpared || (await isContentServed(signal));
    if (!isWell || control === 'none') return isWell;
    if (control === 'list') return hasContent || (await listed(signal)) !== undefined;
    return isRepeatable(signal);
  };
  return {
    recordContent() {
      hasContent = true;
    },
    async presence(orderId, isControlled, signal) {
      const impossible = await calibrated(signal);
      // A shop that serves impossible orders may serve deleted ones too: its answers prove nothing.
      if (impossible === undefined || (impossible.lines ?? 0) > 0) return 'unknown';
      const answer = await attempt(api.orderResponse(orderId, signal), signal);
      if (answer === undefined) return 'unknown';
      const presence = judgePresence(impossible, answer);
      if ((answer.lines ?? 0) > 0) hasContent = true;
      if (presence !== 'gone') return presence;
      const { control } = impossible.kind;
      if (!(await isCredible(control, isControlled, signal))) return 'unknown';
      return control === 'list' ? 'seems-gone' : 'gone';
    },
  };
}
