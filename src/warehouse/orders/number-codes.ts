import { sql } from 'drizzle-orm';

import { CODE_FORM, HIDDEN_CODE } from '../../model/status-codes.ts';
import type { Tx } from '../db/database.ts';

const LOOKS_LIKE_CODE = new RegExp(CODE_FORM);

const CODES = [
  { table: sql`core.order_statuses`, code: sql`status_code` },
  { table: sql`core.payment_statuses`, code: sql`pay_status_code` },
];

/** Gives numbers to codes that do not look like codes, by which reports show them. @param added codes that may be new */
export async function numberCodes(tx: Tx, shopId: number, added: readonly string[]): Promise<void> {
  if (added.every((code) => code === '' || LOOKS_LIKE_CODE.test(code))) return;
  for (const { table, code } of CODES) {
    await tx.execute(sql`
      UPDATE ${table} t SET code_no = held.most + n.place
      FROM (SELECT coalesce(max(code_no), 0) AS most FROM ${table} WHERE shop_id = ${shopId}) held,
        (SELECT ${code}, row_number() OVER (ORDER BY ${code})::integer AS place FROM ${table}
        WHERE shop_id = ${shopId} AND shown_code = ${HIDDEN_CODE} AND ${code} <> ${HIDDEN_CODE} AND code_no IS NULL) n
      WHERE t.shop_id = ${shopId} AND t.${code} = n.${code}`);
  }
}
