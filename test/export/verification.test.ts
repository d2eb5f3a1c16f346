import { expect, test } from 'vitest';

import { verificationOf } from '../../src/export/verification.ts';

const verified = (shop: string, month: string, as_of: string | null) => ({ shop, month, as_of });

test('each month was verified when its own days were; one that the ledger does not name, with the next that it does', () => {
  const months = [
    verified('north', '2026-01', '2026-04-01T00:00:00Z'),
    verified('south', '2026-01', '2026-04-02T00:00:00Z'),
    verified('south', '2026-03', '2026-04-03T00:00:00Z'),
    verified('south', '2026-04', null),
  ];
  const partitions = ['2026-01', '2026-02', '2026-03', '2026-04'].map((month) => ({ shop: 'south', month }));
  const found = verificationOf([...partitions, ...partitions], { months, unverified: [] });
  expect(found.map(({ shop, month, as_of }) => verified(shop, month, as_of))).toEqual([
    verified('south', '2026-01', '2026-04-02T00:00:00Z'),
    verified('south', '2026-02', '2026-04-03T00:00:00Z'),
    verified('south', '2026-03', '2026-04-03T00:00:00Z'),
    verified('south', '2026-04', null),
  ]);
});
