/** What happens in the demo's shop behind the back of whoever reads it, and whether the warehouse has noticed. */
import { sql } from 'drizzle-orm';

import type { Simulator } from '../../../simulator/server.ts';
import type { SimOrder } from '../../../simulator/shop/sim-order.ts';
import type { Db } from '../../../warehouse/db/database.ts';

type Shop = Simulator['shop'];

/** In the middle of the first load, so that what follows moves on by a row. */
const LIST_REQUEST = 4;
const PLACED_AT = 0.6;
const DELETED_AT = 0.75;
const CHANGED_AT = 0.1;

export class DemoStory {
  readonly #simulator: Simulator;
  #placed: SimOrder | undefined;
  #deleted: SimOrder | undefined;
  #changed: SimOrder | undefined;

  constructor(simulator: Simulator) {
    this.#simulator = simulator;
  }

  /** While the list is read, an order comes in that pushes others from one page to the next. */
  placeWhileRead(): Disposable {
    const { shop, requests } = this.#simulator;
    let lists = 0;
    const unlisten = requests.onRequest(({ route }) => {
      if (route !== 'orders' || ++lists !== LIST_REQUEST) return;
      const { createdLocal } = orderAt(shop, PLACED_AT);
      this.#placed = shop.insertOrder({ createdLocal });
    });
    return { [Symbol.dispose]: unlisten };
  }

  /** One order is deleted, and an old one changes. */
  changeBehindTheBack(): void {
    const { shop } = this.#simulator;
    this.#deleted = orderAt(shop, DELETED_AT);
    shop.deleteOrder(this.#deleted.orderId);
    this.#changed = shop.editOrder(orderAt(shop, CHANGED_AT).orderId);
  }

  /** What the warehouse holds of all that, a line each. */
  async noticed(db: Db): Promise<readonly string[]> {
    const [placed, deleted, changed] = [this.#placed, this.#deleted, this.#changed];
    const { rows } = await db.execute<Held>(sql`
      SELECT order_id::int AS id, order_sum::text AS sum, status_code AS status, is_deleted FROM bi.orders`);
    const held = (order: SimOrder | undefined) => rows.find(({ id }) => id === order?.orderId);
    const live = new Set(rows.flatMap(({ id, is_deleted }) => (is_deleted ? [] : [id])));
    const inShop = new Set(this.#simulator.shop.orders().map(({ orderId }) => orderId));
    const isWhole = live.symmetricDifference(inShop).size === 0;
    const day = changed?.createdLocal.toPlainDate().toString();
    const sum = changed && (changed.sumCents / 100).toFixed(2);
    const isChanged = held(changed)?.sum === sum && held(changed)?.status === changed?.status;
    return [
      line(
        'an order came in while the list was read, and moved others on',
        isWhole && live.has(placed?.orderId ?? 0) ? 'none is lost' : undefined,
      ),
      line(
        `order ${deleted?.orderId} was deleted`,
        held(deleted)?.is_deleted === true ? 'marked, and out of all sums' : undefined,
      ),
      line(
        `order ${changed?.orderId} of ${day} changed`,
        isChanged ? 'found without any notification' : undefined,
      ),
    ];
  }
}

type Held = { id: number; sum: string | null; status: string; is_deleted: boolean };

/** @param found how; undefined: it was not */
const line = (what: string, found: string | undefined) =>
  `  ${found === undefined ? '✗' : '✓'} ${what}: ${found ?? 'NOT FOUND'}`;

/** @param share of the history before it */
function orderAt(shop: Shop, share: number): SimOrder {
  const orders = shop.orders();
  const order = orders[Math.floor(orders.length * share)];
  if (order === undefined) throw new RangeError('the shop has no orders');
  return order;
}
