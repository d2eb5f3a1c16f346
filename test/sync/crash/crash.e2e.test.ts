import { beforeAll, expect, test, vi } from 'vitest';

import { Random } from '../../../src/simulator/shop/random.ts';
import { OrderStates } from '../../support/crash-audit.ts';
import { makeAllDue, openLab } from '../../support/crash-lab.ts';
import { changeShop, dieAt, expectHeals, expectSound, SMALL_SHOP, warmUp } from '../../support/crash-life.ts';
import type { Statement } from '../../support/database-proxy.ts';
import { atRequest, atStatement, type Point } from '../../support/kill.ts';
import { testTimeoutMs } from '../../support/patience.ts';
import { IS_LONG } from '../../support/long.ts';

// Several run side by side.
vi.setConfig({ testTimeout: 3 * testTimeoutMs() });

const ORDERS = 'INSERT INTO "core"."orders"';
const LINES = 'INSERT INTO "core"."order_lines"';
const LEDGER = 'INSERT INTO "ops"."days"';

const sends = (start: string) => (statement: Statement) => statement.text.startsWith(start);
/** The COMMIT of a transaction with such a statement. */
const commitOf = (start: string) => (statement: Statement) =>
  statement.text === 'commit' && statement.before.some((text) => text.startsWith(start));
type NamedPoint = readonly [string, Point];

/** One within each transaction: what is torn off it is half done there. */
const FIRST_LOAD: readonly NamedPoint[] = [
  [
    'with the lease, before its run is in the books',
    atStatement('before', ({ text }) => text.includes('INSERT INTO ops.runs')),
  ],
  ['between two pages', atRequest('orders', 4)],
  ['while contents are fetched', atRequest('order', 30)],
  ['between lines and history', atStatement('after', sends(LINES), 2)],
  ['before the COMMIT of orders is sent', atStatement('before', commitOf(ORDERS), 2)],
  ['with the COMMIT of orders done and not answered', atStatement('after', commitOf(ORDERS), 2)],
  ['with the ledger written and not committed', atStatement('after', sends(LEDGER), 2)],
  ['with the COMMIT of the ledger done and not answered', atStatement('after', commitOf(LEDGER), 2)],
  ['while buyers are fetched', atRequest('users', 5)],
  ['while groups are fetched', atRequest('groups', 5)],
];

const LATER_LOAD: readonly NamedPoint[] = [
  ['while a changed order is fetched', atRequest('order', 3)],
  ['with old lines deleted', atStatement('after', sends('DELETE FROM core.order_lines'), 2)],
  ['with an old state closed in the history', atStatement('after', sends('UPDATE core.order_history'), 2)],
  ['with missing orders marked', atStatement('after', sends('UPDATE core.orders SET missing_since ='))],
  ['with changed orders committed and not answered', atStatement('after', commitOf(ORDERS), 2)],
  ['with the ledger written again and not committed', atStatement('after', sends(LEDGER), 2)],
];

beforeAll(warmUp);

test.concurrent.for(IS_LONG ? FIRST_LOAD : [])(
  'killed %s, a first load leaves nothing half done',
  async ([, point]) => {
    await using lab = await openLab(SMALL_SHOP);
    const states = new OrderStates(lab.simulator.shop);
    expect(await dieAt(lab, point)).toMatchObject({ signal: 'SIGKILL' });
    const { verifiedDays } = await expectSound(lab, states);
    await expectHeals(lab, states, verifiedDays, SMALL_SHOP.days);
  },
);

/** The others are like it, or like a kill of a first load. */
const EVERYDAY = 'with changed orders committed and not answered';

test.concurrent.for(LATER_LOAD.filter(([name]) => IS_LONG || name === EVERYDAY))(
  'killed %s, a later load leaves nothing half done',
  async ([name, point]) => {
    await using lab = await openLab(SMALL_SHOP);
    const states = new OrderStates(lab.simulator.shop);
    expect(await lab.sweep()).toMatchObject({ status: 'ok' });
    changeShop(lab, new Random('changes', name));
    states.add(lab.simulator.shop);
    await makeAllDue(lab);
    expect(await dieAt(lab, point)).toMatchObject({ signal: 'SIGKILL' });
    const { verifiedDays } = await expectSound(lab, states);
    await expectHeals(lab, states, verifiedDays, SMALL_SHOP.days);
  },
);
