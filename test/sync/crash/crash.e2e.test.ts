import { beforeAll, expect, test, vi } from 'vitest';

import { Random } from '../../../src/simulator/shop/random.ts';
import { OrderStates } from '../../support/crash-audit.ts';
import { makeAllDue, openLab } from '../../support/crash-lab.ts';
import { changeShop, dieAt, expectHeals, expectSound, SMALL_SHOP, warmUp } from '../../support/crash-life.ts';
import type { Statement } from '../../support/database-proxy.ts';
import { atStatement } from '../../support/kill.ts';
import { testTimeoutMs } from '../../support/patience.ts';

vi.setConfig({ testTimeout: 3 * testTimeoutMs() });

const isCommitOfOrders = ({ text, before }: Statement) =>
  text === 'commit' && before.some((earlier) => earlier.startsWith('INSERT INTO "core"."orders"'));

beforeAll(warmUp);

test('after a kill between commit and answer, a later load leaves nothing half done', async () => {
  await using lab = await openLab(SMALL_SHOP);
  const states = new OrderStates(lab.simulator.shop);
  expect(await lab.sweep()).toMatchObject({ status: 'ok' });
  changeShop(lab, new Random('changes'));
  states.add(lab.simulator.shop);
  await makeAllDue(lab);
  const point = atStatement('after', isCommitOfOrders, 2);
  expect(await dieAt(lab, point)).toMatchObject({ signal: 'SIGKILL' });
  const { verifiedDays } = await expectSound(lab, states);
  await expectHeals(lab, states, verifiedDays, SMALL_SHOP.days);
});
