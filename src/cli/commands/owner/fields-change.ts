import { grouped } from '../../../amount-text.ts';
import { decideField, readOwnerFields } from '../../../warehouse/directory/owner-fields.ts';
import type { FieldChangeDocument } from '../../documents/owner.ts';
import { openWarehouse, readConfig } from '../../open.ts';
import { type CliContext, printResult } from '../../output/io.ts';
import { EXIT, type ExitCode } from '../../output/exit-codes.ts';
import { visible } from '../../output/display-text.ts';
import { findOneStoredShop } from '../../stored-shops.ts';
import { refuseField } from './fields.ts';

/** `fields show` and `fields hide`: the owner's word on a field of a shop. Needs the owner's login, and no lease. */
export async function fieldChangeCommand(
  context: CliContext,
  key: string,
  isShown: boolean,
  options: { readonly shop?: string },
): Promise<ExitCode> {
  await using warehouse = await openWarehouse(context, readConfig(context));
  const { db } = warehouse;
  const shop = await findOneStoredShop(db, options.shop);
  const { shopId, shopKey } = shop;
  const after = await decideField(db, shopId, key, isShown);
  if (after === undefined) return refuseField(shop, await readOwnerFields(db, shopId));
  const { waiting, fields } = after;
  const orders = fields.find((field) => field.key === key)?.orders ?? 0;
  const document: FieldChangeDocument = {
    shop: shopKey,
    status: 'ok',
    error: null,
    key,
    is_shown: isShown,
    orders,
    waiting,
  };
  const done = isShown ? 'shows every value' : 'hides all values';
  const held = orders === 1 ? '1 order has' : `${grouped(orders)} orders have`;
  const rest =
    waiting === 0
      ? ''
      : `${waiting} more ${waiting === 1 ? 'field is' : 'fields are'} hidden until you show ${waiting === 1 ? 'it' : 'them'}.\n`;
  printResult(
    context,
    [document],
    `From now on bi ${done} of the field ${visible(key)} of shop ${shopKey}; ${held} one.\n${rest}`,
  );
  return EXIT.done;
}
