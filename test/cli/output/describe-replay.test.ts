import { expect, test } from 'vitest';

import { replayJson, replayLine, replayText } from '../../../src/cli/output/describe-replay.ts';
import type { ReplayResult } from '../../../src/sync/replay/replay-shop.ts';
import { NO_COUNTS } from '../../support/run-counts.ts';

const RESULT: ReplayResult = {
  status: 'ok',
  problems: [],
  counts: NO_COUNTS,
  version: 7,
  resumedFrom: undefined,
  records: 3_000,
  changes: { orders_added: 1, orders_changed: 2, lines_changed: 3, users_changed: 4, groups_changed: 5 },
  rejections: { added: 6, resolved: 7, open: 0 },
};

test('what a replay did is told in three lines', () => {
  expect(replayText('north', RESULT, 10_000).split('\n')).toEqual([
    'Shop north: 3,000 records normalized again by normalizer 7 in 0:10 (300 records/s), without any request.',
    'Orders: 1 loaded for the first time, 2 corrected; lines: 3 corrected; users: 4; groups: 5.',
    'Rejections: 7 resolved, 6 new, 0 open.',
    '',
  ]);
  const open = { ...RESULT, rejections: { added: 0, resolved: 0, open: 2 } };
  expect(replayText('north', open, 10_000)).toContain(
    '2 open; `order-sync rejections --shop north` lists them.\n',
  );
});

test('the records of an earlier replay that is resumed do not count as fast ones of this one', () => {
  const progress = { stage: 'orders', done: 1_500, total: 2_000, own: 500 } as const;
  const line = replayLine('north', progress, 5_000, 120);
  expect(line).toContain('75 %');
  expect(line).toContain('1,500/2,000 records · 0:05 left · 100 records/s · orders');
});

test('one that was resumed says where', () => {
  const resumed = (after: string | undefined) => {
    const result = {
      ...RESULT,
      resumedFrom: { stage: 'orders' as const, after, done: 1_500, version: 7, rekey: false },
    };
    return [
      replayText('north', result, 1_000).split('\n')[0],
      replayJson('north', result, 1_040).resumed_from,
    ];
  };
  expect(resumed('1017')).toEqual([
    'Shop north: resumed after order 1017, where an earlier replay had stopped with 1,500 records done.',
    { stage: 'orders', after: '1017', records_done: 1_500 },
  ]);
  expect(resumed(undefined)[0]).toContain('resumed after order none, ');
});

test('a document has all of it', () => {
  expect(replayJson('north', { ...RESULT, status: 'partial', problems: ['odd'] }, 1_040)).toEqual({
    shop: 'north',
    status: 'partial',
    error: null,
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
    seconds: 1,
    problems: ['odd'],
  });
});
