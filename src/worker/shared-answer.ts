/**
 * One answer for all who ask at the same time, or shortly after: a page that many people watch, or a scrape, costs the
 * database no more than one of them. A failure is an answer too.
 *
 * @param freshMs how long an answer is given to others
 */
export function shareAnswer<Answer>(
  read: () => Promise<Answer>,
  freshMs: number,
  nowMs: () => number = () => performance.now(),
): () => Promise<Answer> {
  let shared: { readonly answer: Promise<Answer>; endedMs?: number } | undefined;
  return () => {
    const isFresh = shared !== undefined && nowMs() - (shared.endedMs ?? nowMs()) < freshMs;
    if (shared !== undefined && isFresh) return shared.answer;
    const asked: typeof shared = { answer: read() };
    const end = () => {
      asked.endedMs = nowMs();
    };
    asked.answer.then(end, end);
    shared = asked;
    return asked.answer;
  };
}
