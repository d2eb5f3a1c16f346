import pLimit from 'p-limit';

import { TerminalError, TransientError, UnavailableError } from '../../../errors.ts';
import type { Facet } from '../../../order-facets.ts';
import type { CountedDay } from '../../../plan/counts/counted-days.ts';
import { type CountFilter, countOrders } from '../../../shop-api/count-orders.ts';
import type { Ports } from '../../run/context.ts';

const AT_ONCE = 2;
/** Further ones might make the shop look down. */
const MOST_FAILURES = 2;

/** Why the shop does not count; without a reason it was not asked. */
export type Unanswered = { readonly orders?: undefined; readonly reason: string | undefined };
type Answer = { readonly orders: number } | Unanswered;

/** Asks a shop to count orders, two requests at a time, until its requests are used up or it fails. */
export class CountAsker {
  readonly #ports: Pick<Ports, 'api' | 'signal'>;
  readonly #limit = pLimit(AT_ONCE);
  #left: number;
  #failures = 0;

  /** @param left requests that may be sent */
  constructor(ports: Pick<Ports, 'api' | 'signal'>, left: number) {
    this.#ports = ports;
    this.#left = left;
  }

  /** Requests that may still be sent. */
  get left(): number {
    return this.#left;
  }

  get isDone(): boolean {
    return this.#left < 1 || this.#failures >= MOST_FAILURES;
  }

  /** @param isHeld whether there should be any: then none is asked for again @throws what concerns more than counts */
  async ask(facet: Facet, first: CountedDay, last: CountedDay, isHeld: boolean): Promise<Answer> {
    const filter = {
      ...toFilter(facet),
      dateFrom: first.since.toPlainDateTime(),
      dateTo: last.day.toPlainDateTime('23:59:59'),
    };
    return this.#limit(async () => {
      const answer = await this.#send(filter);
      return answer.orders === 0 && isHeld ? this.#send(filter) : answer;
    });
  }

  async #send(filter: CountFilter): Promise<Answer> {
    const { api, signal } = this.#ports;
    if (this.isDone) return { reason: undefined };
    this.#left--;
    try {
      return { orders: await countOrders(api, filter, signal) };
    } catch (error) {
      // The walk shows whether it concerns more than counts.
      const isOfCounts = error instanceof TerminalError || error instanceof TransientError;
      if (signal.aborted || !isOfCounts || error instanceof UnavailableError) throw error;
      this.#failures++;
      return { reason: error.message };
    }
  }
}

function toFilter(facet: Facet): CountFilter {
  if (facet.by === 'all') return {};
  if (facet.by === 'summ_from') return { summFrom: facet.amount };
  return facet.by === 'status' ? { status: facet.code } : { payStatus: facet.code };
}
