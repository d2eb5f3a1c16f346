import { beforeAll, expect, test } from 'vitest';

import { WEIRD } from '../../../src/simulator/shop/dialect.ts';
import { Random } from '../../../src/simulator/shop/random.ts';
import { OrderStates } from '../../support/crash-audit.ts';
import { type Lab, type LabOptions, LAST_DAY, makeAllDue, openLab } from '../../support/crash-lab.ts';
import {
  changeShop,
  dieAt,
  expectEqual,
  expectHeals,
  expectSound,
  SMALL_SHOP,
  warmUp,
} from '../../support/crash-life.ts';
import { afterEvents } from '../../support/kill.ts';
import { testTimeoutMs } from '../../support/patience.ts';

const SEED = Number(process.env['CRASH_SEED'] ?? 362_543);
const KILLS = 240;

type Chain = {
  readonly name: string;
  readonly shop: LabOptions;
  /** Requests, statements and answers of a first life, about. */
  readonly events: number;
  readonly prepare?: (lab: Lab) => void;
};

const CHAINS: readonly Chain[] = [
  { name: 'many small windows', events: 400, shop: { ...SMALL_SHOP, orders: 150, days: 40 } },
  {
    name: 'windows of several transactions',
    events: 550,
    shop: { orders: 260, days: 24, pageLimit: 500, seed: 22 },
  },
  {
    name: 'an odd dialect',
    events: 400,
    shop: { ...SMALL_SHOP, seed: 23, dialect: { ...WEIRD, statuses: 'documented' } },
  },
  {
    name: 'a minute of several pages',
    events: 400,
    shop: { ...SMALL_SHOP, orders: 40, seed: 24 },
    prepare: crowdMinute,
  },
];

function crowdMinute({ simulator: { shop } }: Lab): void {
  const createdLocal = LAST_DAY.subtract({ days: 1 }).toPlainDateTime({ hour: 12, minute: 30 });
  for (let count = 0; count < 70; count++) shop.insertOrder({ createdLocal });
}

const say = (line: string) => process.stdout.write(`crash: ${line}\n`);

beforeAll(async () => {
  say(`${KILLS} kills at random moments; the same again: CRASH_SEED=${SEED}`);
  await warmUp();
});

test.concurrent.for(CHAINS)(
  'killed repeatedly at random moments, a load of $name is never inconsistent, and converges',
  { timeout: 3 * testTimeoutMs() },
  async ({ name, shop, events, prepare }) => {
    const random = new Random(SEED, name);
    await using lab = await openLab(shop);
    prepare?.(lab);
    let states = new OrderStates(lab.simulator.shop);
    let verified: readonly string[] = [];
    // It follows the length of a life, which is shorter where there is little to change.
    let [convergences, mostEvents] = [0, events];
    const verifiedAtDeath: number[] = [];
    while (verifiedAtDeath.length < KILLS / CHAINS.length) {
      const delayMs = random.chance(0.5) ? 0 : random.between(1, 12);
      const outcome = await dieAt(lab, afterEvents(random.between(1, Math.ceil(mostEvents)), delayMs));
      ({ verifiedDays: verified } = await expectSound(lab, states));
      if (outcome.signal === 'SIGKILL') {
        verifiedAtDeath.push(verified.length);
        mostEvents *= 1.1;
        continue;
      }
      // The day that an order left for an older one is read again by the next load.
      const ended = outcome.code === 3 ? await lab.backfill().outcome : outcome;
      expect(ended, ended.stderr).toMatchObject({ code: 0 });
      await expectEqual(lab);
      convergences += 1;
      mostEvents *= 0.5;
      // From an equal warehouse on, with changes all over a calendar that is due again.
      states = new OrderStates(lab.simulator.shop);
      changeShop(lab, random);
      states.add(lab.simulator.shop);
      await makeAllDue(lab);
      verified = [];
    }
    await expectHeals(lab, states, verified, shop.days);
    const deaths = `days verified at each death ${verifiedAtDeath.join(' ')}`;
    say(`${name}: ${verifiedAtDeath.length} kills, ${convergences + 1} convergences, ${deaths}`);
  },
);
