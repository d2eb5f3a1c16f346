import { expect, test } from 'vitest';

import { foreignReason } from '../../../src/sync/ask/recognize-shop.ts';
import { EVER } from '../../../src/model/window.ts';

type Asked = Parameters<typeof foreignReason>[0];
type Held = Parameters<typeof foreignReason>[3][number];

/** A sweep that was shown stored orders, and so asks for no samples. */
const sweep = {
  ports: { acceptsMissing: false, shop: { shopKey: 'north' } },
  found: { recognition: { began: Temporal.Instant.from('2026-03-10T12:00:00Z'), isSeen: true } },
} as Asked;
const rows = ['9001', '9002'].map((orderId) => ({ orderId, raw: {} }));
const held = (given: Partial<Held>) =>
  Array.from({ length: 200 }, (_, index) => ({
    orderId: String(index + 1),
    isInWindow: true,
    isMarked: false,
    ...given,
  })) as readonly Held[];

test('a list of other orders is foreign to what is stored of its window, but for what the shop had removed', async () => {
  expect(await foreignReason(sweep, EVER, rows, held({}))).toMatch(
    /200 stored orders of .* order-sync backfill --force --accept-missing --shop north/,
  );
  expect(await foreignReason(sweep, EVER, rows, held({ isMarked: true }))).toBeUndefined();
  expect(await foreignReason(sweep, EVER, rows, held({ isInWindow: false }))).toBeUndefined();
});
