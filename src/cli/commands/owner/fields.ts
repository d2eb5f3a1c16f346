import { counted } from '../../../model/amount-text.ts';
import { UsageError } from '../../../model/errors.ts';
import { nextStep } from '../../../model/next-step.ts';
import {
  decideField,
  type OwnerField,
  type OwnerFields,
  readOwnerFields,
} from '../../../warehouse/directory/owner-fields.ts';
import { stampViewChanges } from '../../../warehouse/ops/refresh-summaries.ts';
import type { CommandOptions } from '../../options.ts';
import { type CliContext, visible } from '../../output/io.ts';
import { type Block, print, rowsOf } from '../../output/layout.ts';
import { forEachStored, withStoredShop } from '../../shops.ts';

/** `fields`: the extra order fields of each shop, and whether `bi` shows them. Uses the database only. */
export async function fieldsCommand(context: CliContext, options: CommandOptions<'shop'>) {
  return forEachStored(context, options.shop, async ({ shopId, shopKey }, { db }) =>
    print(context, fieldsText(shopKey, await readOwnerFields(db, shopId))),
  );
}

/** `fields show` and `fields hide`: the owner's word on a field of a shop. Needs the owner's login, and no lease. */
export const showFieldCommand = changing(true);
export const hideFieldCommand = changing(false);

function changing(isShown: boolean) {
  return async (context: CliContext, key: string, options: CommandOptions<'shop'>) =>
    withStoredShop(context, options.shop, async ({ shopId, shopKey }, { db }) => {
      const after = await decideField(db, shopId, key, isShown);
      if (after === undefined) {
        const known = knownText(await readOwnerFields(db, shopId));
        throw new UsageError(`no order of shop ${shopKey} has a field of that key; it has ${known}`);
      }
      await stampViewChanges(db);
      const { waiting, fields } = after;
      const orders = fields.find((field) => field.key === key)?.orders ?? 0;
      const done = isShown ? 'shows every value' : 'hides all values';
      const used = `${counted(orders, 'order')} ${orders === 1 ? 'has' : 'have'} one`;
      const [are, them] = waiting === 1 ? ['field is', 'it'] : ['fields are', 'them'];
      print(context, [
        `From now on bi ${done} of the field ${key} of shop ${shopKey}; ${used}.`,
        ...(waiting === 0 ? [] : [`${waiting} more ${are} hidden until you show ${them}.`]),
      ]);
    });
}

function knownText({ fields, unlisted }: OwnerFields): string {
  const others = unlisted > 0 ? [`${unlisted} whose keys may hold a person`] : [];
  return [...fields.map(({ key }) => visible(key)), ...others].join(', ') || 'no extra fields';
}

function fieldsText(shop: string, { fields, unlisted }: OwnerFields): readonly Block[] {
  if (fields.length + unlisted === 0) return [`Shop ${shop}: its orders have no extra fields.`];
  const rows = fields.map(({ key, reason, ...used }) => ({ field: key, ...used, in_bi: REASONS[reason] }));
  const table = rows.length > 0 ? [rowsOf(rows, ['field', 'orders', 'customers', 'in_bi'])] : [];
  const isWaiting = fields.some(({ reason }) => reason === 'waiting');
  const [show, hide] = [nextStep('show field', { shop }), nextStep('hide field', { shop })];
  const howTo =
    `\`${show}\` shows all values of a field in bi, \`${hide}\` none: ` +
    'look at the values before you show a field, since buyers may have entered anything.';
  const [are, look] = unlisted === 1 ? ['is', 'its key does'] : ['are', 'their keys do'];
  const hidden =
    `${counted(unlisted, 'field')} ${are} not listed: ${look} not look like a key and may hold a person. ` +
    'Show or hide them by the keys in the settings of the shop; people who may read personal data can list them by ' +
    `\`${nextStep('ask for fields', { shop })}\`.`;
  return [`Shop ${shop}`, ...table, ...(isWaiting ? ['', howTo] : []), ...(unlisted > 0 ? ['', hidden] : [])];
}

const REASONS: Readonly<Record<OwnerField['reason'], string>> = {
  'shown by owner': 'shown: you show it',
  'hidden by owner': 'hidden: you hide it',
  waiting: 'hidden until you show it',
};
