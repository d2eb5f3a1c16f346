import { TerminalError, TransientError, UnavailableError } from '../../../model/errors.ts';
import type { Facet } from '../../../model/order-facets.ts';
import type { CountedRange } from '../../../plan/counts/counted-days.ts';
import { countOrders } from '../../../shop-api/count-orders.ts';
import type { Ports } from '../../run/context.ts';

/** More failures might make the shop look down. */
const MOST_FAILURES = 2;

/** Asks a shop to count orders until its requests are used up or it fails. */
export class OrderCounter {
  readonly #ports: Pick<Ports, 'api' | 'signal'>;
  /** Requests that may still be sent. */
  left: number;
  /** Facets that could not be counted, and why. */
  readonly failures = new Map<Facet, string>();

  constructor(ports: Pick<Ports, 'api' | 'signal'>, left: number) {
    this.#ports = ports;
    this.left = left;
  }

  get isDone(): boolean {
    return this.left < 1 || this.failures.size >= MOST_FAILURES;
  }

  /**
   * @returns undefined if no request was sent, or the shop gave no count
   * @throws errors that may concern more than counts: the next list request shows whether they do
   */
  async count(facet: Facet, { from, to }: CountedRange): Promise<number | undefined> {
    const { api, signal } = this.#ports;
    if (this.isDone) return undefined;
    this.left--;
    const dates = { dateFrom: from.toPlainDateTime(), dateTo: to.toPlainDateTime('23:59:59') };
    try {
      return await countOrders(api, { filters: toFilters(facet), ...dates }, signal);
    } catch (error) {
      const isOfCounts = error instanceof TerminalError || error instanceof TransientError;
      if (signal.aborted || !isOfCounts || error instanceof UnavailableError) throw error;
      this.failures.set(facet, error.message);
      return undefined;
    }
  }
}

function toFilters(facet: Facet) {
  if (facet.by === 'all') return {};
  return { [facet.by]: facet.by === 'summ_from' ? facet.amount : facet.code };
}
