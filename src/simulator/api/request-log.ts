/** The requests received: counted by route, and passed to listeners. */

export type RouteName = 'auth' | 'groups' | 'users' | 'orders' | 'order' | 'other';

export type SimRequest = {
  readonly route: RouteName;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
};

export type RequestListener = (request: SimRequest) => void | Promise<void>;

/** The route of a path below `/adm/api`. */
export function findRoute(path: string): RouteName {
  const [first = '', second = ''] = path.replace(/^\/adm\/api\/?/, '').split('/');
  if (first === 'orders') return second === '' ? 'orders' : 'order';
  return first === 'auth' || first === 'groups' || first === 'users' ? first : 'other';
}

export class RequestLog {
  #counts = new Map<RouteName, number>();
  #inFlight = 0;
  #peak = 0;
  readonly #listeners = new Set<RequestListener>();

  /** Requests since the start or the last reset, refused and failed ones included. */
  count(route?: RouteName): number {
    if (route !== undefined) return this.#counts.get(route) ?? 0;
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  counts(): Readonly<Partial<Record<RouteName, number>>> {
    return Object.fromEntries(this.#counts);
  }

  peak(): number {
    return this.#peak;
  }

  /** Requests not answered yet, the one whose listeners are running included. */
  inFlight(): number {
    return this.#inFlight;
  }

  reset(): void {
    this.#counts = new Map();
    this.#peak = this.#inFlight;
  }

  /**
   * Calls the listener with each request and waits for it before computing the answer, so that it can change the shop.
   *
   * @returns removes the listener
   */
  onRequest(listener: RequestListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async begin(request: SimRequest): Promise<void> {
    this.#inFlight += 1;
    this.#peak = Math.max(this.#peak, this.#inFlight);
    this.#counts.set(request.route, this.count(request.route) + 1);
    for (const listener of this.#listeners) await listener(request);
  }

  end(): void {
    this.#inFlight -= 1;
  }
}
