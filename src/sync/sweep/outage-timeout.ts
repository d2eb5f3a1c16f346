import { UnavailableError } from '../../errors.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';

const LOOK_MS = 500;

/** Watches a sweep until disposed of. */
export type Patience = Disposable & {
  /** Aborted, with an UnavailableError, when the time budget is over while the shop does not answer. */
  readonly signal: AbortSignal;
};

/**
 * A sweep with a time budget begins nothing new when that is over; but what waits for a shop that is away would wait on.
 *
 * @param isOver whether the time budget is over
 */
export function watchPatience(api: Pick<ShopApi, 'health'>, isOver: () => boolean): Patience {
  const controller = new AbortController();
  const timer = setInterval(() => {
    if (api.health.circuit === 'closed' || !isOver()) return;
    controller.abort(
      new UnavailableError(
        'the shop does not answer, and the time budget of the sweep is over; what was written is kept, and the next run ' +
          'resumes where this one ended',
      ),
    );
  }, LOOK_MS);
  return { signal: controller.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
