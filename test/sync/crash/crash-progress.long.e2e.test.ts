import { beforeAll, expect, test, vi } from 'vitest';

import { type Lab, LAST_DAY, openLab } from '../../support/crash-lab.ts';
import { warmUp } from '../../support/crash-life.ts';
import { atRequest, kill } from '../../support/kill.ts';
import { testTimeoutMs } from '../../support/patience.ts';
import { differences } from '../../support/truth.ts';

vi.setConfig({ testTimeout: 4 * testTimeoutMs() });

type Crowd = {
  readonly name: string;
  readonly orders: number;
  readonly pageLimit: number;
  /** After as many requests the process is killed. */
  readonly requests: number;
};

const CROWDS: readonly Crowd[] = [
  { name: 'of several pages', orders: 160, pageLimit: 50, requests: 50 },
  { name: 'of 5,000 orders', orders: 5_000, pageLimit: 500, requests: 100 },
];

beforeAll(warmUp);

/** A shop with all of its orders on one day. */
async function openCrowded({ orders, pageLimit }: Crowd): Promise<Lab> {
  const lab = await openLab({ orders: 0, days: 2, pageLimit, seed: 3 });
  const morning = LAST_DAY.subtract({ days: 1 }).toPlainDateTime('01:00');
  const apartMs = 72_000_000 / orders;
  for (let index = 0; index < orders; index++) {
    const createdLocal = morning.add({ seconds: Math.floor((index * apartMs) / 1000) });
    lab.simulator.shop.insertOrder({ createdLocal });
  }
  return lab;
}

/** Rows that a process can only add to: stored orders and buyers, and verified days. */
async function countProgress({ client }: Lab): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`
    SELECT ((SELECT count(*) FROM tested.orders) + (SELECT count(*) FROM tested.users)
      + (SELECT count(*) FROM tested.days WHERE verified_at IS NOT NULL))::int AS count`);
  return rows[0]?.count ?? 0;
}

test.concurrent.for(CROWDS)(
  'a process that is killed after every few requests finishes a crowded day $name',
  async (crowd) => {
    await using lab = await openCrowded(crowd);
    const steps: number[] = [];
    for (let isKilled = true; isKilled;) {
      const disarm = atRequest('any', crowd.requests)(lab, () => kill(running));
      const running = lab.backfill();
      const { signal } = await running.outcome;
      disarm();
      isKilled = signal !== null;
      steps.push(await countProgress(lab));
      // Four lives in a row that add nothing would go on like that for ever.
      expect(isKilled && steps.length > 4 && steps.at(-1) === steps.at(-5), steps.join(' ')).toBe(false);
    }
    expect(await differences(lab.client, lab.simulator.shop)).toEqual([]);
  },
);
