/** Answers that are asked for at once, though each is of use only after the one before it. */
export const MAX_AHEAD = 4;

export type PagesAhead<Answer> = {
  /** The answer for a position: the one that is under way, or a new one. */
  take(start: number): Promise<Answer>;
  /**
   * Asks for the positions after one that was answered, as far as orders are likely.
   *
   * @param step from one position to the next
   */
  expect(start: number, step: number, likely: number): void;
  /** Forgets what is under way: it was asked for by other terms. */
  clear(): void;
};

/** @param ask sends the request for a position */
export function createPagesAhead<Answer>(ask: (start: number) => Promise<Answer>): PagesAhead<Answer> {
  const underWay = new Map<number, Promise<Answer>>();
  return {
    take(start) {
      const asked = underWay.get(start) ?? ask(start);
      underWay.delete(start);
      return asked;
    },
    expect(start, step, likely) {
      for (let ahead = 1; ahead <= MAX_AHEAD; ahead += 1) {
        const position = start + ahead * step;
        if (position >= likely || underWay.size >= MAX_AHEAD) return;
        if (underWay.has(position)) continue;
        const asked = ask(position);
        // Whoever takes it is told; of one that nobody takes, nobody is.
        asked.catch(() => undefined);
        underWay.set(position, asked);
      }
    },
    clear: () => underWay.clear(),
  };
}
