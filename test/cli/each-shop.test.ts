import { expect, test } from 'vitest';

import { sideBySide } from '../../src/cli/each-shop.ts';
import { EXIT, worse } from '../../src/cli/output/io.ts';

test('of several shops, the worst exit code counts: failed, partial, different, done', () => {
  const fromBest = [0, 4, 3, 1, 2, 130];
  const inOrder = Object.values(EXIT).toSorted((a, b) => (a === b ? 0 : worse(a, b) === b ? -1 : 1));
  expect(inOrder).toEqual(fromBest);
  for (const code of Object.values(EXIT)) expect(worse(code, code)).toBe(code);
});

test('shops are worked on side by side, each once, and none begins after one that ends all', async () => {
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const work = (failing?: number) => async (shop: number) => {
    begun.push(shop);
    most = Math.max(most, ++running);
    await Promise.resolve();
    running -= 1;
    if (shop === failing) throw new Error('interrupted');
  };
  const shops = Array.from({ length: 20 }, (_, index) => index);
  await sideBySide(shops, 5, work());
  expect([begun.toSorted((a, b) => a - b), most, running]).toEqual([shops, 5, 0]);
  begun.length = 0;
  await expect(sideBySide(shops, 5, work(2))).rejects.toThrow('interrupted');
  expect(begun.length).toBeLessThan(12);
  expect(running).toBe(0);
});
