import { TerminalError } from '../errors.ts';

/** A list that was served after a refusal vouches for the login in as many further refusals. */
const TRUSTED_REFUSALS = 25;

/** Whether the shop refuses single records (401, 403) or the login as a whole. */
export class RefusalCheck {
  #isPending = false;
  #isRunning = false;
  /** Refusals of single records that need no check, since a list was served not long ago. */
  #trusted = 0;
  #shopRefusals = 0;
  #lastShopRefusal: TerminalError | undefined;

  /** A record was refused, and it is not known yet whether the login is. */
  get isPending(): boolean {
    return this.#isPending;
  }

  /** A request that tells is on its way. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** How often the login as a whole was found to be refused. */
  get shopRefusals(): number {
    return this.#shopRefusals;
  }

  recordRefused(): void {
    if (this.#trusted-- <= 0) this.#isPending = true;
  }

  /**
   * @param before `shopRefusals` when the request was begun
   * @throws TerminalError where the shop was found to refuse everything since then
   */
  assertNotRefused(before: number): void {
    if (this.#lastShopRefusal !== undefined && this.#shopRefusals > before) throw this.#lastShopRefusal;
  }

  /**
   * Finds out what is refused.
   *
   * @param probe asks the shop for something that does not depend on any record; a failure that is no refusal tells nothing
   * @throws the signal's reason
   */
  async run(probe: () => Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
    this.#isRunning = true;
    try {
      await probe();
      this.#trusted = TRUSTED_REFUSALS;
    } catch (error) {
      signal?.throwIfAborted();
      const isRefused = error instanceof TerminalError && (error.status === 401 || error.status === 403);
      if (!isRefused) return;
      const { status, cause } = error;
      this.#lastShopRefusal = new TerminalError(error.message, { cause, status, scope: 'shop' });
      this.#shopRefusals++;
    } finally {
      this.#isRunning = false;
      this.#isPending = false;
    }
  }
}
