/** Compares a warehouse with the true state of a simulated shop, by a path that shares no code with the sync. */
import type { Client } from 'pg';

import type { SimulatedShop } from '../../src/simulator/shop/simulated-shop.ts';

export type Scope = {
  /** Only this shop of the warehouse. @default all but the bystander */
  readonly shopKey?: string;
  /** Only orders of these days, as `2026-03-01`. @default all */
  readonly days?: ReadonlySet<string>;
  /** Whether lines that could not be fetched yet are left out of the comparison. @default false */
  readonly onlyFetchedLines?: boolean;
};

export type Facts = {
  readonly day: string;
  readonly header: string;
  readonly lines: string;
  readonly isFetched: boolean;
};

/** What differs, a line each: orders lost, orders too many, and orders whose header or lines differ. */
export async function differences(
  client: Client,
  shop: SimulatedShop,
  scope: Scope = {},
): Promise<readonly string[]> {
  const { days } = scope;
  const isInScope = ([, facts]: readonly [string, Facts]) => days === undefined || days.has(facts.day);
  const held = new Map([...(await heldFacts(client, scope.shopKey))].filter(isInScope));
  const truth = new Map([...trueFacts(shop)].filter(isInScope));
  const lost = [...truth.keys()].filter((id) => !held.has(id)).map((id) => `order ${id} is lost`);
  const ghosts = [...held.keys()].filter((id) => !truth.has(id)).map((id) => `order ${id} is a ghost`);
  const changed = [...truth].flatMap(([id, facts]) => {
    const stored = held.get(id);
    if (stored === undefined) return [];
    const isLeftOut = scope.onlyFetchedLines === true && !stored.isFetched;
    const [ours, theirs] = [textOf(stored, isLeftOut), textOf(facts, isLeftOut)];
    return ours === theirs ? [] : [`order ${id}: the shop has ${theirs}, the warehouse ${ours}`];
  });
  return [...lost, ...ghosts, ...changed];
}

function textOf({ header, lines }: Facts, isLeftOut: boolean): string {
  return isLeftOut ? header : `${header}|${lines}`;
}

const decimal = (cents: number) => (cents / 100).toFixed(2);

export function trueFacts(shop: SimulatedShop): Map<string, Facts> {
  return new Map(
    shop.orders().map((order) => {
      const header = [
        order.status,
        order.payStatus,
        decimal(order.sumCents),
        decimal(order.paidCents),
        decimal(order.deliveryPriceCents),
        order.currency,
        order.createdText === null ? order.createdLocal.toString().slice(0, 16) : '',
        order.updatedLocal.toString({ smallestUnit: 'second' }),
        String(order.buyerOid),
      ].join('|');
      const lines = order.lines
        .map((line) => `${line.oid}*${line.quantity}=${decimal(line.totalCents)}`)
        .join('|');
      const day = order.createdText === null ? order.createdLocal.toPlainDate().toString() : '';
      return [String(order.orderId), { day, header, lines, isFetched: true }];
    }),
  );
}

type HeldRow = {
  order_id: string;
  day: string | null;
  header: readonly string[];
  lines: readonly string[];
  is_fetched: boolean;
};

/** As constants, so that no rows of other shops are read. */
const OF_SHOP = 'ARRAY(SELECT shop_id FROM core.shops WHERE shop_key = $1)';
const OF_TESTED = 'ARRAY(SELECT shop_id FROM tested.shops)';

/** Of the orders that are neither missing nor deleted. */
export async function heldFacts(client: Client, shopKey?: string): Promise<Map<string, Facts>> {
  const { rows } = await client.query<HeldRow>(
    `SELECT o.order_id::text, o.created_on::text AS day, o.lines_state = 'ok' AS is_fetched,
      json_build_array(o.status_code, o.pay_status_code, o.order_sum::text, o.paid_amount::text, o.delivery_price::text,
        o.currency, to_char(o.created_local, 'YYYY-MM-DD"T"HH24:MI'), to_char(o.updated_local, 'YYYY-MM-DD"T"HH24:MI:SS'),
        o.buyer_oid::text) AS header,
      ARRAY(SELECT l.line_oid || '*' || trim_scale(l.quantity) || '=' || l.line_total
        FROM core.order_lines l WHERE l.shop_id = o.shop_id AND l.order_id = o.order_id ORDER BY l.line_no) AS lines
    FROM core.orders o
    WHERE o.missing_since IS NULL AND o.deleted_at IS NULL
      AND o.shop_id = ANY (${shopKey === undefined ? OF_TESTED : OF_SHOP})
    ORDER BY o.shop_id, o.order_id`,
    shopKey === undefined ? [] : [shopKey],
  );
  return new Map(
    rows.map((row) => {
      const texts = { header: row.header.join('|'), lines: row.lines.join('|') };
      return [row.order_id, { day: row.day ?? '', ...texts, isFetched: row.is_fetched }];
    }),
  );
}

/** A digest of every row version in some tables: it changes when any row is written, even with equal values. */
export async function rowVersions(client: Client, ofTables: string): Promise<string> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE ${ofTables} ORDER BY 1`,
  );
  const digests: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ digest: string | null; count: string }>(
      `SELECT md5(string_agg(ctid::text || xmin::text, ',' ORDER BY ctid)) AS digest, count(*) AS count FROM ${name}`,
    );
    digests.push(`${name} ${rows[0]?.count} ${rows[0]?.digest}`);
  }
  return digests.join('\n');
}

export const coreVersions = (client: Client) => rowVersions(client, "schemaname = 'core'");
