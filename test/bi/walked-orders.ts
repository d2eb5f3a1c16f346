/** Orders walked through many states, swept after each step, and what the views must say of what was seen. */
import type { Simulator } from '../../src/simulator/server.ts';
import { makeShopInProcess } from '../support/in-process-shop.ts';
import { sweepOnce, testClock, withoutGroups } from '../support/sweep.ts';
import type { TestWarehouse } from '../warehouse/test-warehouse.ts';

/** The evening before the clocks of Berlin go back, in UTC; 22:00 in the shop. */
const START = Temporal.Instant.from('2025-10-25T20:00:00Z');
const PLACED = Temporal.PlainDateTime.from('2025-10-25T21:30');
export const PLACED_AT = Temporal.Instant.from('2025-10-25T19:30:00Z');
/** Hours between sweeps. */
const PAUSES = [3, 7, 1, 24, 2];

/** The status at each of the six sweeps; `-` where the order does not exist. */
export const WALKS: Readonly<Record<string, string>> = {
  'in good order': 'ANPOCQ',
  'asked twice': 'AVAVAA',
  'first seen when delivered': '--CCQQ',
  'delivered twice': 'AOCOCC',
  'delivered between two looks': 'AAAACC',
  'came back': 'AOCRRR',
  'of an own code': 'AXXCCC',
  cancelled: 'AFFFFF',
  'deleted after delivery': 'AOCC--',
};

export type State = {
  readonly status: string;
  readonly seenAt: Temporal.Instant;
  /** The sweep before; undefined for the first state. */
  readonly notBefore: Temporal.Instant | undefined;
  readonly until: Temporal.Instant | undefined;
};
export type Walked = { readonly id: number; readonly isDeleted: boolean; readonly states: readonly State[] };

/** Walks and sweeps; returns the orders by the name of their walk. */
export async function walkOrders({ db }: TestWarehouse): Promise<ReadonlyMap<string, Walked>> {
  await using simulator = makeShopInProcess({ orders: 0, days: 1, now: START });
  const clock = testClock(START);
  const ids = new Map<string, number>();
  const sweptAt: Temporal.Instant[] = [];
  for (const [step] of [...PAUSES, 0].entries()) {
    for (const [name, walk] of Object.entries(WALKS)) takeStep(simulator, ids, name, walk.charAt(step));
    sweptAt.push(clock.now());
    const request = { kind: 'backfill', force: true, from: Temporal.PlainDate.from('2025-10-25') } as const;
    await sweepOnce(simulator, db, request, {}, { now: clock.now, through: withoutGroups });
    clock.pass({ hours: PAUSES[step] ?? 0 });
    simulator.shop.tick(clock.now(), { newOrders: 0, edits: 0 });
  }
  return new Map(
    Object.entries(WALKS).map(([name, walk]) => [
      name,
      { id: ids.get(name) ?? 0, isDeleted: walk.endsWith('-'), states: statesOf(walk, sweptAt) },
    ]),
  );
}

function takeStep({ shop }: Simulator, ids: Map<string, number>, name: string, status: string): void {
  const id = ids.get(name);
  if (id === undefined) {
    if (status !== '-')
      ids.set(name, shop.insertOrder({ createdLocal: PLACED, status, payStatus: 'S' }).orderId);
  } else if (status !== '-') {
    if (shop.order(id)?.status !== status) shop.editOrder(id, { status });
  } else if (shop.order(id) !== undefined) {
    shop.deleteOrder(id);
  }
}

function statesOf(walk: string, sweptAt: readonly Temporal.Instant[]): readonly State[] {
  const seen = sweptAt.flatMap((seenAt, at) => {
    const [status, before] = [walk.charAt(at), walk.charAt(at - 1)];
    if (status === '-' || (at > 0 && status === before)) return [];
    return [{ status, seenAt, notBefore: at === 0 || before === '-' ? undefined : sweptAt[at - 1] }];
  });
  return seen.map((state, at) => ({ ...state, until: seen[at + 1]?.seenAt }));
}
