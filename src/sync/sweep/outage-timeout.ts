import { UnavailableError } from '../../errors.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';

const CHECK_MS = 500;

/** Watches a sweep until disposed. */
export type OutageTimeout = Disposable & {
  /** Aborted with an UnavailableError when the time budget runs out while the shop does not respond. */
  readonly signal: AbortSignal;
};

/**
 * A sweep starts nothing new after its time budget, but requests that wait for an unavailable shop would go on waiting.
 *
 * @param isOver whether the time budget is over
 */
export function startOutageTimeout(api: Pick<ShopApi, 'health'>, isOver: () => boolean): OutageTimeout {
  const controller = new AbortController();
  const timer = setInterval(() => {
    if (api.health.circuit === 'closed' || !isOver()) return;
    controller.abort(
      new UnavailableError(
        "the shop does not respond, and the sweep's time budget ran out; what was written is kept, and the next run " +
          'resumes where this one ended',
      ),
    );
  }, CHECK_MS);
  return { signal: controller.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
