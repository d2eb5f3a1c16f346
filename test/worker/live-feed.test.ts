import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test, vi } from 'vitest';

import { openLiveFeed } from '../../src/worker/live-feed.ts';
import { shopJson } from './status-json.ts';
import { patienceMs } from '../support/patience.ts';
import { until } from '../support/until.ts';

/** A feed of what `state` holds, and how often that was read. */
function openTestFeed() {
  const state = {
    shops: [shopJson({ shop: 'a' }), shopJson({ shop: 'b' })],
    error: undefined as Error | undefined,
  };
  const reads = vi.fn(async () => {
    if (state.error !== undefined) throw state.error;
    return state.shops;
  });
  const feed = openLiveFeed({
    read: reads,
    describeFailure: (error) => `read: ${String(error)}`,
    everyMs: 1,
  });
  const readAgain = async () => {
    const before = reads.mock.calls.length;
    await until('it is read twice', () => reads.mock.calls.length > before + 1, patienceMs(), 1);
  };
  return { feed, state, reads, readAgain };
}

test('all who watch are told of the shops that changed, were added or removed, and cost one reading', async () => {
  const { feed, state, readAgain } = openTestFeed();
  await using _ = feed;
  const [first, second] = [vi.fn(), vi.fn()];
  using _first = feed.subscribe(first);
  using _second = feed.subscribe(second);
  await readAgain();
  expect(first).not.toHaveBeenCalled();
  state.shops = [shopJson({ shop: 'b', orders: 1 }), shopJson({ shop: 'c' })];
  await readAgain();
  expect(first.mock.calls.flat()).toEqual([{ name: 'changed', shops: ['a', 'b', 'c'] }]);
  expect(second.mock.calls).toEqual(first.mock.calls);
});

test('nothing is read while nobody watches', async () => {
  const { feed, reads, readAgain } = openTestFeed();
  await using _ = feed;
  expect(reads).not.toHaveBeenCalled();
  const subscription = feed.subscribe(() => undefined);
  await readAgain();
  subscription?.[Symbol.dispose]();
  const before = reads.mock.calls.length;
  const beside = openTestFeed();
  await using _beside = beside.feed;
  using _watching = beside.feed.subscribe(() => undefined);
  for (let times = 0; times < 5; times += 1) await beside.readAgain();
  expect(reads).toHaveBeenCalledTimes(before);
  using _again = feed.subscribe(() => undefined);
  await readAgain();
});

test('reading takes a twentieth of the time at most', async () => {
  const times: { readonly begun: number; readonly ended: number }[] = [];
  await using feed = openLiveFeed({
    async read() {
      const begun = performance.now();
      await sleep(20);
      times.push({ begun, ended: performance.now() });
      return [];
    },
    describeFailure: String,
    everyMs: 1,
  });
  using _ = feed.subscribe(() => undefined);
  await until('it is read twice', () => times.length > 1, patienceMs(), 1);
  const [first, second] = times;
  const readingMs = (first?.ended ?? 0) - (first?.begun ?? 0);
  // A timer may be early by a millisecond.
  expect((second?.begun ?? 0) - (first?.ended ?? 0)).toBeGreaterThan(19 * readingMs);
});

test('a failure is told once, also to those who come later, and its end', async () => {
  const { feed, state, readAgain } = openTestFeed();
  await using _ = feed;
  const [early, late] = [vi.fn(), vi.fn()];
  using _early = feed.subscribe(early);
  await readAgain();
  state.error = new Error('down');
  await readAgain();
  using _late = feed.subscribe(late);
  await readAgain();
  const trouble = { name: 'trouble', text: 'read: Error: down' };
  expect(early.mock.calls.flat()).toEqual([trouble]);
  expect(late.mock.calls.flat()).toEqual([trouble]);
  state.error = undefined;
  await readAgain();
  expect(early.mock.calls.flat()).toEqual([trouble, { name: 'changed', shops: [] }]);
});

test('its end ends all subscriptions, and a hundred is the most', async () => {
  const { feed } = openTestFeed();
  const all = Array.from({ length: 101 }, () => feed.subscribe(() => undefined));
  expect(all.map((each) => each !== undefined)).toEqual([...Array.from({ length: 100 }, () => true), false]);
  await feed[Symbol.asyncDispose]();
  expect(all[0]?.ended.aborted).toBe(true);
  expect(feed.subscribe(() => undefined)).toBeUndefined();
});
