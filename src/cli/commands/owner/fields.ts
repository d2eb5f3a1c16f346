import { nextStep } from '../../../model/next-step.ts';
import { grouped } from '../../../model/amount-text.ts';
import { UsageError } from '../../../model/errors.ts';
import type { StoredShop } from '../../../warehouse/directory/registered-shops.ts';
import {
  decideField,
  type OwnerField,
  type OwnerFields,
  readOwnerFields,
} from '../../../warehouse/directory/owner-fields.ts';
import { stampViewChanges } from '../../../warehouse/ops/refresh-summaries.ts';
import { openWarehouse, readConfig } from '../../open.ts';
import type { Given } from '../../options.ts';
import { visible, wrapNote } from '../../output/display-text.ts';
import type { CliContext } from '../../output/io.ts';
import { table } from '../../output/table.ts';
import { findStoredShop, printStoredShops } from '../../stored-shops.ts';

/** `fields`: the extra order fields of each shop, and whether `bi` shows them. Uses the database only. */
export async function fieldsCommand(context: CliContext, options: Given<'shop'>) {
  await printStoredShops(context, options.shop, async (db, { shopId, shopKey }) => {
    return fieldsText(shopKey, await readOwnerFields(db, shopId), context.io.outColumns());
  });
}

/** `fields show` and `fields hide`: the owner's word on a field of a shop. Needs the owner's login, and no lease. */
export const showFieldCommand = changing(true);
export const hideFieldCommand = changing(false);

function changing(isShown: boolean) {
  return async (context: CliContext, key: string, options: Given<'shop'>) => {
    await using warehouse = await openWarehouse(context, readConfig(context));
    const { db } = warehouse;
    const shop = await findStoredShop(db, options.shop);
    const { shopId, shopKey } = shop;
    const after = await decideField(db, shopId, key, isShown);
    if (after === undefined) refuseField(shop, await readOwnerFields(db, shopId));
    await stampViewChanges(db);
    const { waiting, fields } = after;
    const orders = fields.find((field) => field.key === key)?.orders ?? 0;
    const done = isShown ? 'shows every value' : 'hides all values';
    const held = orders === 1 ? '1 order has' : `${grouped(orders)} orders have`;
    const [are, them] = waiting === 1 ? ['field is', 'it'] : ['fields are', 'them'];
    const rest = waiting === 0 ? '' : `${waiting} more ${are} hidden until you show ${them}.\n`;
    context.io.out(
      `From now on bi ${done} of the field ${visible(key)} of shop ${shopKey}; ${held} one.\n${rest}`,
    );
  };
}

/** @throws UsageError that names the fields that there are */
function refuseField({ shopKey }: StoredShop, { fields, unlisted }: OwnerFields): never {
  const keys = fields.map(({ key }) => visible(key));
  const others = unlisted > 0 ? [`${unlisted} whose keys may hold a person`] : [];
  const held = [...keys, ...others].join(', ');
  throw new UsageError(
    `no order of shop ${shopKey} has a field of that key; ${held === '' ? 'it has no extra fields' : `it has ${held}`}`,
  );
}

function fieldsText(shop: string, found: OwnerFields, columns: number | undefined): string {
  const { fields, unlisted } = found;
  if (fields.length + unlisted === 0) return `Shop ${shop}: its orders have no extra fields.\n`;
  const heading = ['field', 'orders', 'customers', 'in bi'];
  const rows = fields.map((field) => [
    visible(field.key),
    grouped(field.orders),
    grouped(field.customers),
    REASONS[field.reason],
  ]);
  const notes = [...waitingNotes(shop, found), ...unlistedNotes(shop, found)];
  return [
    `Shop ${shop}\n`,
    ...(fields.length > 0 ? [table([heading, ...rows], columns)] : []),
    ...notes.map((note) => `\n${wrapNote(note, columns)}\n`),
  ].join('');
}

const REASONS: Readonly<Record<OwnerField['reason'], string>> = {
  'shown by owner': 'shown: you show it',
  'hidden by owner': 'hidden: you hide it',
  waiting: 'hidden until you show it',
};

function waitingNotes(shop: string, { fields }: OwnerFields): readonly string[] {
  if (fields.every(({ reason }) => reason.endsWith('by owner'))) return [];
  return [
    `\`${nextStep('show field', { shop })}\` shows all values of a field in bi, \`${nextStep('hide field', { shop })}\` none: ` +
      'look at the values before you show a field, since buyers may have entered anything.',
  ];
}

function unlistedNotes(shop: string, { unlisted }: OwnerFields): readonly string[] {
  if (unlisted === 0) return [];
  const what = unlisted === 1 ? '1 field is not listed' : `${grouped(unlisted)} fields are not listed`;
  return [
    `${what}: ${unlisted === 1 ? 'its key looks' : 'their keys look'} like none, and may hold a person. ` +
      'Show or hide them by the keys in the settings of the shop; whoever may read personal data sees all of them by ' +
      `\`${nextStep('ask for fields', { shop })}\`.`,
  ];
}
