import { expect, test } from 'vitest';

import { replayLine, replayText } from '../../../src/cli/output/describe-replay.ts';
import type { ReplayResult } from '../../../src/sync/replay/replay-shop.ts';

const RESULT: ReplayResult = {
  shop: 'north',
  status: 'ok',
  error: null,
  problems: [],
  normalizer_version: 7,
  resumed_from: null,
  records: 3_000,
  orders_added: 1,
  orders_changed: 2,
  lines_changed: 3,
  users_changed: 4,
  groups_changed: 5,
  rejections_new: 6,
  rejections_resolved: 7,
  rejections_open: 0,
  seconds: 10,
};

test('what a replay did is told in three lines', () => {
  expect(replayText(RESULT).split('\n')).toEqual([
    'Shop north: 3,000 records normalized again by normalizer 7 in 0:10 (300 records/s), without any request.',
    'Orders: 1 loaded for the first time, 2 corrected; lines: 3 corrected; users: 4; groups: 5.',
    'Rejections: 7 resolved, 6 new, 0 open.',
    '',
  ]);
  const open = { ...RESULT, rejections_open: 2 };
  expect(replayText(open)).toContain('2 open; `order-sync rejections --shop north` lists them.\n');
});

test('the records of an earlier replay that is resumed do not count as fast ones of this one', () => {
  const progress = { stage: 'orders', done: 1_500, total: 2_000, own: 500 } as const;
  const line = replayLine('north', progress, 5_000, 120);
  expect(line).toContain('75 %');
  expect(line).toContain('1,500/2,000 records · 0:05 left · 100 records/s · orders');
});

test('one that was resumed says where', () => {
  const resumed = (after: string | null) =>
    replayText({ ...RESULT, resumed_from: { stage: 'orders', after, records_done: 1_500 } }).split('\n')[0];
  expect(resumed('1017')).toBe(
    'Shop north: resumed after order 1017, where an earlier replay had stopped with 1,500 records done.',
  );
  expect(resumed(null)).toContain('resumed after order none, ');
});
