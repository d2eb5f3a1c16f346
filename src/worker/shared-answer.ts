/**
 * One answer for all who ask the same at the same time, or shortly after: a page that many people watch, or a scrape, costs
 * the database no more than one of them. A failure is an answer too.
 *
 * @param freshMs how long an answer is given to others
 */
export function shareAnswers<Answer>(
  read: (key: string) => Promise<Answer>,
  freshMs: number,
): (key?: string) => Promise<Answer> {
  const shared = new Map<string, Promise<Answer>>();
  return (key = '') => {
    const known = shared.get(key);
    if (known !== undefined) return known;
    const answer = read(key);
    shared.set(key, answer);
    const forget = () => void setTimeout(() => shared.delete(key), freshMs).unref();
    answer.then(forget, forget);
    return answer;
  };
}
