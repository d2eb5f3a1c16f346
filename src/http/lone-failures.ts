/** Other requests that must have been answered since one failed, for the next failure to be one of its record too. */
const ANSWERS_BETWEEN = 10;

/**
 * Tells failures that may lie with the record that was asked for from those of a shop that is overloaded, where one request after
 * the other fails. That the same request fails again says nothing new about the shop.
 */
export class LoneFailures {
  readonly #failed = new WeakSet();
  #answers = ANSWERS_BETWEEN;

  recordAnswer(): void {
    this.#answers++;
  }

  /** @param request the same object for all attempts of a request */
  isLone(request: object): boolean {
    if (this.#failed.has(request)) return true;
    this.#failed.add(request);
    const isLone = this.#answers >= ANSWERS_BETWEEN;
    this.#answers = 0;
    return isLone;
  }
}
