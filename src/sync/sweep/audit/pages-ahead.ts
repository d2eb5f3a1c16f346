/** Pages requested at once, though each is used only after the one before it. */
export const MAX_AHEAD = 4;

export type PagesAhead<Answer> = {
  /** The answer for a position: the pending one, or that of a new request. */
  take(start: number): Promise<Answer>;
  /**
   * Requests the positions after one that was answered, as far as orders are likely there.
   *
   * @param step distance from one position to the next
   * @param likely expected length of the list
   */
  expect(start: number, step: number, likely: number): void;
  /** Drops pending answers, after the parameters of the request changed. */
  clear(): void;
};

/** @param ask sends the request for a position */
export function createPagesAhead<Answer>(ask: (start: number) => Promise<Answer>): PagesAhead<Answer> {
  const pending = new Map<number, Promise<Answer>>();
  return {
    take(start) {
      const answer = pending.get(start) ?? ask(start);
      pending.delete(start);
      return answer;
    },
    expect(start, step, likely) {
      for (let ahead = 1; ahead <= MAX_AHEAD; ahead += 1) {
        const position = start + ahead * step;
        if (position >= likely || pending.size >= MAX_AHEAD) return;
        if (pending.has(position)) continue;
        const answer = ask(position);
        // Whoever takes the answer sees its error; that of an unused answer is ignored.
        answer.catch(() => undefined);
        pending.set(position, answer);
      }
    },
    clear: () => pending.clear(),
  };
}
