import { counted } from '../../../model/amount-text.ts';
import { integer } from '../../../config/setting-types.ts';
import { UsageError } from '../../../model/errors.ts';
import { nextStep } from '../../../model/next-step.ts';
import type { OrderStage } from '../../../model/status-codes.ts';
import { HIDDEN_CODE } from '../../../model/status-codes.ts';
import type { Db } from '../../../warehouse/db/database.ts';
import {
  addCode,
  changeStatus,
  namePaymentStatus,
  type OwnerCodes,
  type OwnerStatus,
  readOwnerCodes,
  type SetBy,
} from '../../../warehouse/directory/owner-codes.ts';
import { stampViewChanges } from '../../../warehouse/ops/refresh-summaries.ts';
import { type Given, readOption } from '../../options.ts';
import { type CliContext, EXIT } from '../../output/io.ts';
import { type Block, print, rowsOf, visible } from '../../output/layout.ts';
import { forEachStored, withStoredShop } from '../../shops.ts';

/** `statuses`: what the status codes of each shop mean. Uses the database only. */
export async function statusesCommand(context: CliContext, options: Given<'shop'>) {
  return forEachStored(context, options.shop, async ({ shopId, shopKey }, { db }) => {
    print(context, statusesText(shopKey, await readOwnerCodes(db, shopId)));
    return EXIT.done;
  });
}

/** A code for people: the empty one means that the shop sent none. */
const codeText = (code: string) => (code === '' ? '""' : visible(code));

const SET_BY: Readonly<Record<SetBy, string>> = {
  documentation: 'the documentation',
  owner: 'you',
  nobody: 'nobody yet',
};

function statusesText(shop: string, { statuses, payments }: OwnerCodes): readonly Block[] {
  const statusRows = statuses.map(({ code, name, stage, is_sale: sale, orders, set_by }) => {
    return { code: codeText(code), name, stage, sale, orders, set_by: SET_BY[set_by] };
  });
  const paymentRows = payments.map(({ code, name, orders, set_by }) => {
    return { payment_code: codeText(code), name, orders, set_by: SET_BY[set_by] };
  });
  const numbered = [...statuses, ...payments].filter(({ code }) => /^#\d+$/.test(code)).length;
  const [are, look] = numbered === 1 ? ['is', 'it does'] : ['are', 'they do'];
  const hidden =
    `${counted(numbered, 'code')} ${are} listed by number: ${look} not look like a code, so that anything may be typed there. ` +
    'core.order_statuses and core.payment_statuses have the texts; name those that are really statuses, by their numbers.';
  return [
    `Shop ${shop}`,
    rowsOf(statusRows, ['code', 'name', 'stage', 'sale', 'orders', 'set_by']),
    '',
    rowsOf(paymentRows, ['payment_code', 'name', 'orders', 'set_by']),
    '',
    `\`${nextStep('classify status', { shop })}\` says what a code means, for past orders too; ` +
      `\`${nextStep('name payment', { shop })}\` names a payment code.`,
    ...(numbered === 0 ? [] : ['', hidden]),
  ];
}

export type StatusOptions = Given<'shop' | 'name' | 'stageOrder', 'sale' | 'payment' | 'add'> & {
  readonly stage?: OrderStage;
};

/** `statuses set`: the owner's word on what a code of a shop means. Needs no lease: syncs overwrite none of it. */
export async function setStatusCommand(context: CliContext, code: string, options: StatusOptions) {
  const change = readChange(options);
  if (code === HIDDEN_CODE) {
    throw new UsageError(
      `${HIDDEN_CODE} is no code, but stands for all that are not shown: name one of them`,
    );
  }
  const kind = options.payment === true ? 'payment' : 'order';
  await withStoredShop(context, options.shop, async ({ shopId, shopKey }, { db }) => {
    if (options.add === true) await addCode(db, shopId, kind, code);
    const changed = await change(db, shopId, code);
    if (changed !== undefined) await stampViewChanges(db);
    const { statuses, payments } = await readOwnerCodes(db, shopId);
    const listed: readonly Partial<OwnerStatus>[] = kind === 'order' ? statuses : payments;
    if (changed === undefined) {
      const known = listed.map((each) => codeText(each.code ?? '')).join(', ');
      const which = kind === 'order' ? 'status' : 'payment';
      throw new UsageError(
        `no order of shop ${shopKey} had that ${which} code; it has ${known}; --add adds it`,
      );
    }
    print(context, [changedText(shopKey, changed, listed.find((each) => each.code === changed) ?? {})]);
  });
}

type Change = (db: Db, shopId: number, code: string) => Promise<string | undefined>;

/** @throws UsageError */
function readChange({ stage, name, sale, stageOrder: order, payment }: StatusOptions): Change {
  const ofOrders = [stage, sale, order].some((value) => value !== undefined);
  if (payment === true) {
    if (name === undefined || ofOrders) throw new UsageError('a payment code has a name only: use --name');
    return (db, shopId, code) => namePaymentStatus(db, shopId, code, name);
  }
  if (name === undefined && !ofOrders) {
    throw new UsageError(
      'statuses set needs at least one of --stage, --name, --sale, --no-sale and --stage-order',
    );
  }
  const stageOrder = readOption(integer(0, 9_999), order, '--stage-order');
  const changes = {
    ...(stage !== undefined && { stage }),
    ...(name !== undefined && { name }),
    ...(sale !== undefined && { isSale: sale }),
    ...(stageOrder !== undefined && { stageOrder }),
  };
  return (db, shopId, code) => changeStatus(db, shopId, code, changes);
}

/** @param known a code of no order may not be listed; a payment code has no stage */
function changedText(shop: string, code: string, known: Partial<OwnerStatus>): string {
  const { name = code, stage, is_sale: isSale, orders = 0 } = known;
  const held = `${counted(orders, 'order')} ${orders === 1 ? 'has' : 'have'} it.`;
  if (stage === undefined)
    return `The payment code ${codeText(code)} of shop ${shop} is now called ${name}; ${held}`;
  return (
    `The code ${codeText(code)} of shop ${shop} is now called ${name}, is of the stage ${stage}, and counts ` +
    `as ${isSale === true ? 'a' : 'no'} sale; ${held} All figures in bi follow at once, those of the past too.`
  );
}
