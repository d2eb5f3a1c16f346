import { expect, test } from 'vitest';

import { openShop } from '../../../support/shop.ts';
import { clientOf } from '../../../support/sweep.ts';

/** Documented fields of each documented table, as `field=column` where the column has another name; `field=`: kept as it was sent. */
const TABLES = [
  {
    table: 'core.user_groups',
    raw: 'raw.user_groups',
    payload: 'payload',
    fields:
      'oid=group_oid name url type template visible parent_oid sort master_oid=owner_oid access ' +
      'updated=updated_local created=created_local',
  },
  {
    table: 'core.users',
    raw: 'raw.users',
    payload: 'payload',
    fields:
      'oid=user_oid visible parent_oid=group_oid master_oid=owner_oid access updated=updated_local ' +
      'created=created_local content=level',
  },
  {
    table: 'core.user_persons',
    raw: 'core.user_persons',
    payload: 'rest',
    fields: 'name= url= type= template= sort=',
  },
  {
    table: 'core.user_persons',
    raw: 'core.user_persons',
    payload: 'content',
    fields: 'address email gender images login name org_name phone',
  },
  {
    table: 'core.orders',
    raw: 'raw.orders',
    payload: 'payload',
    fields:
      'order_id status=status_code pay_status=pay_status_code currency pay_method summ=order_sum ' +
      'count=item_count paid=paid_amount discount=discount_raw delivery=delivery_name delivery_id ' +
      'delivery_price weight master_oid=buyer_oid views color created=created_on ' +
      'updated=updated_local time=created_local hash=order_hash',
  },
  {
    table: 'core.order_persons',
    raw: 'core.order_persons',
    payload: `to_jsonb(order_persons) - 'rest' || rest`,
    fields: 'buyer_phone buyer_email buyer_address comment buyer_name fields user_unique_key= users=',
  },
  {
    table: 'core.order_lines',
    raw: 'raw.order_contents',
    payload: `jsonb_array_elements(payload -> 'ordercontent')`,
    fields:
      'oid=line_oid code name=product_name count=quantity price=unit_price total=line_total ' +
      'articul=sku discount=discount_raw oldprice=list_price oldtotal=list_total',
  },
] as const;

test('every documented field of groups, users, orders and lines is stored and fills its column', async () => {
  const { rows, shop, sweep } = await openShop({ orders: 600, days: 60, seed: 5 });
  const orderId = shop.orders()[3]?.orderId ?? 0;
  shop.setRaw(orderId, { users: 'a, b', field_of_tomorrow: { kept: [1, 2] } });
  expect(await sweep({ kind: 'backfill' }, {}, { through: (api) => api })).toMatchObject({ status: 'ok' });
  for (const { table, raw, payload, fields } of TABLES) {
    const found = await rows(
      `SELECT DISTINCT jsonb_object_keys(element) AS key FROM (SELECT ${payload} AS element FROM ${raw}) AS elements
       WHERE jsonb_typeof(element) = 'object'`,
    );
    const keys = found.map(({ key }) => key);
    for (const [field = '', column = field] of fields.split(' ').map((pair) => pair.split('='))) {
      expect(keys, `${raw} keeps ${field}`).toContain(field);
      if (column === '') continue;
      const filled = await rows(`SELECT FROM ${table} WHERE ${column} IS NOT NULL LIMIT 1`);
      expect(filled, `${field} fills ${table}.${column}`).toHaveLength(1);
    }
  }
  const kept = `SELECT rest -> 'field_of_tomorrow' AS kept FROM tested.order_persons WHERE order_id = $1`;
  expect(await rows(kept, orderId)).toEqual([{ kept: { kept: [1, 2] } }]);
});

test('the documented fields of a login link reach the caller, but no table', async () => {
  const { shop, simulator } = await openShop({ orders: 20 });
  const login = shop.users()[0]?.login ?? '';
  const link = await clientOf(simulator).loginLink({ by: 'login', value: login });
  expect(Object.keys(link).toSorted()).toEqual(['actkey', 'link', 'login']);
  expect(link.link).toContain(encodeURIComponent(link.actkey));
});
