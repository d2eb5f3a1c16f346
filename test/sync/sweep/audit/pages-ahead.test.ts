import { expect, test } from 'vitest';

import { createPagesAhead, MAX_AHEAD } from '../../../../src/sync/sweep/audit/pages-ahead.ts';

function recorded(answer: (start: number) => Promise<number> = async (start) => start) {
  const asked: number[] = [];
  const pages = createPagesAhead(async (start) => {
    asked.push(start);
    return answer(start);
  });
  return { asked, pages };
}

test('positions ahead are requested at once, and each only once', async () => {
  const { asked, pages } = recorded();
  pages.expect(0, 10, 1_000);
  expect(asked).toEqual([10, 20, 30, 40]);
  expect(await pages.take(10)).toBe(10);
  pages.expect(10, 10, 1_000);
  expect(asked).toEqual([10, 20, 30, 40, 50]);
  expect(asked.length - 1).toBe(MAX_AHEAD);
});

test('nothing is requested beyond the expected orders', () => {
  const { asked, pages } = recorded();
  pages.expect(0, 10, 25);
  expect(asked).toEqual([10, 20]);
});

test('an answer is used once: the next time it is requested again', async () => {
  const { asked, pages } = recorded();
  pages.expect(0, 10, 11);
  await pages.take(10);
  await pages.take(10);
  expect(asked).toEqual([10, 10]);
});

test('answers to other parameters are not used', async () => {
  const { asked, pages } = recorded();
  pages.expect(0, 10, 11);
  pages.clear();
  await pages.take(10);
  expect(asked).toEqual([10, 10]);
});

test('a failure reaches the caller that takes the answer, and an unused one is ignored', async () => {
  const { pages } = recorded(async (start) => {
    throw new Error(`no ${start}`);
  });
  pages.expect(0, 10, 21);
  await expect(pages.take(10)).rejects.toThrow('no 10');
});
