import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { shareAnswers } from '../../src/worker/ops-server.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A reader that answers when it is told to. */
function openReader() {
  const asked: PromiseWithResolvers<number>[] = [];
  const read = () => {
    const next = Promise.withResolvers<number>();
    asked.push(next);
    return next.promise;
  };
  return { asked, read };
}

test('all who ask until a while after an answer get that one', async () => {
  const { asked, read } = openReader();
  const ask = shareAnswers(read, 3_000);
  const first = [ask(), ask()];
  vi.advanceTimersByTime(60_000);
  first.push(ask());
  asked[0]?.resolve(1);
  expect(await Promise.all(first)).toEqual([1, 1, 1]);
  vi.advanceTimersByTime(2_999);
  expect(await ask()).toBe(1);
  expect(asked).toHaveLength(1);
  vi.advanceTimersByTime(1);
  const next = ask();
  asked[1]?.resolve(2);
  expect(await next).toBe(2);
});

test('of many things, each has an answer of its own, which a failure does not outlive either', async () => {
  const { asked, read } = openReader();
  const ask = shareAnswers(read, 3_000);
  const [north, again, south] = [ask('north'), ask('north'), ask('south')];
  expect(asked).toHaveLength(2);
  asked[0]?.reject(new Error('down'));
  asked[1]?.resolve(2);
  for (const each of [north, again]) await expect(each).rejects.toThrow('down');
  expect(await south).toBe(2);
  vi.advanceTimersByTime(3_000);
  const later = ask('north');
  asked[2]?.resolve(3);
  expect(await later).toBe(3);
});
