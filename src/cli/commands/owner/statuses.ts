import { counted } from '../../../model/amount-text.ts';
import { integer } from '../../../config/setting-types.ts';
import { UsageError } from '../../../model/errors.ts';
import { nextStep } from '../../../model/next-step.ts';
import type { OrderStage } from '../../../model/status-codes.ts';
import { HIDDEN_CODE } from '../../../model/status-codes.ts';
import {
  addCode,
  changeCode,
  type CodeChanges,
  type OwnerCode,
  readOwnerCodes,
  type SetBy,
} from '../../../warehouse/directory/owner-codes.ts';
import { stampViewChanges } from '../../../warehouse/ops/refresh-summaries.ts';
import { type CommandOptions, readOption } from '../../options.ts';
import { type CliContext, visible } from '../../output/io.ts';
import { type Block, print, rowsOf } from '../../output/layout.ts';
import { forEachStored, withStoredShop } from '../../shops.ts';

/** `statuses`: what the status codes of each shop mean. Uses the database only. */
export async function statusesCommand(context: CliContext, options: CommandOptions<'shop'>) {
  return forEachStored(context, options.shop, async ({ shopId, shopKey }, { db }) =>
    print(context, statusesText(shopKey, await readOwnerCodes(db, shopId))),
  );
}

/** A code for people: the empty one means that the shop sent none. */
const codeText = (code: string) => (code === '' ? '""' : visible(code));

const SET_BY: Readonly<Record<SetBy, string>> = {
  documentation: 'the documentation',
  owner: 'you',
  nobody: 'nobody yet',
};

function statusesText(shop: string, codes: readonly OwnerCode[]): readonly Block[] {
  const rowsOfKind = (asked: OwnerCode['kind'], codeColumn: string) =>
    codes.flatMap(({ kind, code, is_sale: sale, set_by, ...row }) =>
      kind === asked ? [{ ...row, [codeColumn]: codeText(code), sale, set_by: SET_BY[set_by] }] : [],
    );
  const numbered = codes.filter(({ code }) => /^#\d+$/.test(code)).length;
  const [are, look] = numbered === 1 ? ['is', 'it does'] : ['are', 'they do'];
  const hidden =
    `${counted(numbered, 'code')} ${are} listed by number: ${look} not look like a code and may be any text. ` +
    'core.order_statuses and core.payment_statuses have the texts; name those that are really statuses, by their numbers.';
  return [
    `Shop ${shop}`,
    rowsOf(rowsOfKind('order', 'code'), ['code', 'name', 'stage', 'sale', 'orders', 'set_by']),
    '',
    rowsOf(rowsOfKind('payment', 'payment_code'), ['payment_code', 'name', 'orders', 'set_by']),
    '',
    `\`${nextStep('classify status', { shop })}\` says what a code means, for past orders too; ` +
      `\`${nextStep('name payment', { shop })}\` names a payment code.`,
    ...(numbered === 0 ? [] : ['', hidden]),
  ];
}

export type StatusOptions = CommandOptions<'shop' | 'name' | 'stageOrder', 'sale' | 'payment' | 'add'> & {
  readonly stage?: OrderStage;
};

/** `statuses set`: the owner says what a code of a shop means. Needs no lease, since syncs never overwrite it. */
export async function setStatusCommand(context: CliContext, code: string, options: StatusOptions) {
  const changes = readChanges(options);
  if (code === HIDDEN_CODE) {
    throw new UsageError(
      `${HIDDEN_CODE} is not a code: it stands for all codes that are not shown; name one of them`,
    );
  }
  const kind = options.payment === true ? 'payment' : 'order';
  await withStoredShop(context, options.shop, async ({ shopId, shopKey }, { db }) => {
    if (options.add === true) await addCode(db, shopId, kind, code);
    const changed = await changeCode(db, shopId, kind, code, changes);
    if (changed !== undefined) await stampViewChanges(db);
    const listed = (await readOwnerCodes(db, shopId)).filter((each) => each.kind === kind);
    if (changed === undefined) {
      const known = listed.map((each) => codeText(each.code)).join(', ');
      const which = kind === 'order' ? 'status' : 'payment';
      throw new UsageError(
        `no order of shop ${shopKey} had that ${which} code; it has ${known}; --add adds it`,
      );
    }
    print(context, [changedText(shopKey, kind, changed, listed.find((each) => each.code === changed) ?? {})]);
  });
}

/** @throws UsageError */
function readChanges({ stage, name, sale, stageOrder: order, payment }: StatusOptions): CodeChanges {
  const ofOrders = [stage, sale, order].some((value) => value !== undefined);
  if (payment === true && (name === undefined || ofOrders))
    throw new UsageError('a payment code only has a name: use --name');
  if (name === undefined && !ofOrders) {
    throw new UsageError(
      'statuses set needs at least one of --stage, --name, --sale, --no-sale and --stage-order',
    );
  }
  const stageOrder = readOption(integer(0, 9_999), order, '--stage-order');
  return { stage, name, isSale: sale, stageOrder };
}

/** @param known a code of no order may not be listed */
function changedText(shop: string, kind: OwnerCode['kind'], code: string, known: Partial<OwnerCode>): string {
  const { name = code, stage, is_sale: isSale, orders = 0 } = known;
  const used = `${counted(orders, 'order')} ${orders === 1 ? 'has' : 'have'} it.`;
  if (kind === 'payment' || stage === undefined)
    return `The payment code ${codeText(code)} of shop ${shop} is now called ${name}; ${used}`;
  return (
    `The code ${codeText(code)} of shop ${shop} is now called ${name}, is of the stage ${stage}, and counts ` +
    `as ${isSale === true ? 'a' : 'no'} sale; ${used} All figures in bi follow at once, those of the past too.`
  );
}
