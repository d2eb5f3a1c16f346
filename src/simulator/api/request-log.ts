/** What the simulator was asked: counted by route, the list requests in detail. */

export type RouteName = 'auth' | 'groups' | 'users' | 'orders' | 'order' | 'other';

export type SimRequest = {
  readonly route: RouteName;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
};

/** One request of the orders list: its position and dates (undefined where not sent), and every parameter as sent. */
export type ListRequest = Readonly<Record<string, string | number | undefined>> & {
  readonly start: number | undefined;
  readonly limit: number | undefined;
  readonly dateFrom: string | undefined;
  readonly dateTo: string | undefined;
};

/** A simulator that runs for weeks forgets the oldest list requests. */
const KEPT_LISTS = 100_000;

export type RequestListener = (request: SimRequest) => void | Promise<void>;

/** The route of a path below `/adm/api`. */
export function routeOf(path: string): RouteName {
  const [first = '', second = ''] = path.replace(/^\/adm\/api\/?/, '').split('/');
  if (first === 'orders') return second === '' ? 'orders' : 'order';
  return first === 'auth' || first === 'groups' || first === 'users' ? first : 'other';
}

export class RequestLog {
  #counts = new Map<RouteName, number>();
  #lists: ListRequest[] = [];
  #inFlight = 0;
  #peak = 0;
  readonly #listeners = new Set<RequestListener>();

  /** Requests since the start or the last reset, those that were refused or failed by a fault included. */
  count(route?: RouteName): number {
    if (route !== undefined) return this.#counts.get(route) ?? 0;
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  counts(): Readonly<Partial<Record<RouteName, number>>> {
    return Object.fromEntries(this.#counts);
  }

  /** The requests of the orders list, in the order they came; the latest 100,000 of them. */
  lists(): readonly ListRequest[] {
    return [...this.#lists];
  }

  /** The most requests that were in flight at once. */
  peak(): number {
    return this.#peak;
  }

  /** Requests whose answer has not been sent, the one that a listener is being told of included. */
  inFlight(): number {
    return this.#inFlight;
  }

  reset(): void {
    this.#counts = new Map();
    this.#lists = [];
    this.#peak = this.#inFlight;
  }

  /**
   * Calls the listener with each request before its answer is computed, so that it can change the shop in between;
   * the answer waits for it.
   *
   * @returns takes the listener off again
   */
  onRequest(listener: RequestListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Counts a request and tells the listeners. */
  async begin(request: SimRequest): Promise<void> {
    this.#inFlight += 1;
    this.#peak = Math.max(this.#peak, this.#inFlight);
    this.#counts.set(request.route, this.count(request.route) + 1);
    if (request.route === 'orders') {
      this.#lists.push(listRequest(request.query));
      if (this.#lists.length > KEPT_LISTS) this.#lists.shift();
    }
    for (const listener of this.#listeners) await listener(request);
  }

  end(): void {
    this.#inFlight -= 1;
  }
}

function listRequest(query: SimRequest['query']): ListRequest {
  const number = (value: string | undefined) => (value === undefined ? undefined : Number(value));
  return {
    ...query,
    start: number(query['start']),
    limit: number(query['limit']),
    dateFrom: query['date_from'],
    dateTo: query['date_to'],
  };
}
