/** What happens in a shop, by chance that repeats. */
import type { Dialect } from '../../../src/simulator/shop/dialect.ts';
import type { Random } from '../../../src/simulator/shop/random.ts';
import type { Simulator } from '../../../src/simulator/server.ts';

export const ZONE = 'Europe/Berlin';
/** Over which the orders are spread. */
export const DAYS = 40;

/** What an update of the shop may change. */
const UPDATES: readonly Partial<Dialect>[] = [
  { contentLines: 0 },
  { contentLines: 1 },
  { sums: 'none' },
  { counts: 'none' },
  { total: 'absent' },
  { total: 'matches' },
  { filters: 'ignored' },
  { unknownOrder: 'empty-content' },
  { emptyStatus: 'ignored' },
  { falseEmpties: 10 },
];

const someOrder = (random: Random, { shop }: Simulator) => random.pick(shop.orders());

export function move(random: Random, simulator: Simulator): void {
  const { orderId } = someOrder(random, simulator);
  const at = simulator.shop.now().toZonedDateTimeISO(ZONE).toPlainDateTime();
  simulator.shop.moveOrder(orderId, at.subtract({ minutes: random.below(DAYS * 1440) }));
}

/** What happens in the shop between two sweeps. */
export function change(random: Random, simulator: Simulator): readonly string[] {
  const { shop, faults } = simulator;
  const kinds = {
    delete: () => shop.deleteOrder(someOrder(random, simulator).orderId),
    move: () => move(random, simulator),
    edit: () => void shop.editOrder(someOrder(random, simulator).orderId),
    'add an old one': () =>
      void shop.insertOrder({ createdLocal: someOrder(random, simulator).createdLocal.add({ minutes: 7 }) }),
    'add one without a date': () => void shop.insertOrder({ createdText: '' }),
    'a row that is no order': () => shop.setRaw(someOrder(random, simulator).orderId, { order_id: 'none' }),
    'an odd sum': () => shop.setRaw(someOrder(random, simulator).orderId, { summ: 'free' }),
    'odd contents': () =>
      shop.setRawContent(someOrder(random, simulator).orderId, [{ oid: '1', count: '2', total: 'x' }]),
    'a new field': () => shop.setRaw(someOrder(random, simulator).orderId, { gift: 'yes' }),
    'refuse a content': () => shop.refuse('order', someOrder(random, simulator).orderId),
    'allow all': () => shop.allowAll(),
    'fail a few times': () => faults.failNext(random.between(1, 12), 'http-500', { route: 'orders' }),
    'answer nothing': () => faults.failNext(random.between(1, 3), 'empty-array', { route: 'orders' }),
    update: () => shop.setDialect(random.pick(UPDATES)),
  };
  const chosen = random.shuffled(Object.entries(kinds)).slice(0, random.between(0, 3));
  for (const [, make] of chosen) make();
  return chosen.map(([name]) => name);
}
