import { nextStep } from '../../../model/next-step.ts';
import { grouped } from '../../../model/amount-text.ts';
import { UsageError } from '../../../model/errors.ts';
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
import type { StoredShop } from '../../../warehouse/directory/registered-shops.ts';
import { stampViewChanges } from '../../../warehouse/ops/refresh-summaries.ts';
import { openWarehouse, readConfig } from '../../open.ts';
import type { Given } from '../../options.ts';
import { visible, wrapNote } from '../../output/display-text.ts';
import type { CliContext } from '../../output/io.ts';
import { table } from '../../output/table.ts';
import { findStoredShop, printStoredShops } from '../../stored-shops.ts';

/** `statuses`: what the status codes of each shop mean. Uses the database only. */
export async function statusesCommand(context: CliContext, options: Given<'shop'>) {
  await printStoredShops(context, options.shop, async (db, { shopId, shopKey }) => {
    return statusesText(shopKey, await readOwnerCodes(db, shopId), context.io.outColumns());
  });
}

/** A code for people: the empty one means that the shop sent none. */
const codeText = (code: string) => (code === '' ? '""' : visible(code));

const SET_BY: Readonly<Record<SetBy, string>> = {
  documentation: 'the documentation',
  owner: 'you',
  nobody: 'nobody yet',
};

function statusesText(shop: string, codes: OwnerCodes, columns: number | undefined): string {
  const { statuses, payments } = codes;
  const statusRows = statuses.map((status) => [
    codeText(status.code),
    visible(status.name),
    status.stage,
    status.is_sale ? 'yes' : 'no',
    grouped(status.orders),
    SET_BY[status.set_by],
  ]);
  const paymentRows = payments.map((status) => [
    codeText(status.code),
    visible(status.name),
    grouped(status.orders),
    SET_BY[status.set_by],
  ]);
  return [
    `Shop ${shop}\n`,
    table([['code', 'name', 'stage', 'sale', 'orders', 'set by'], ...statusRows], columns),
    '\n',
    table([['payment code', 'name', 'orders', 'set by'], ...paymentRows], columns),
    ...notesOf(shop, codes).map((note) => `\n${wrapNote(note, columns)}\n`),
  ].join('');
}

function notesOf(shop: string, { statuses, payments }: OwnerCodes): readonly string[] {
  const howTo =
    `\`${nextStep('classify status', { shop })}\` says what a code means, for past orders too; ` +
    `\`${nextStep('name payment', { shop })}\` names a payment code.`;
  const numbered = [...statuses, ...payments].filter(({ code }) => /^#\d+$/.test(code)).length;
  if (numbered === 0) return [howTo];
  const [codes, look] =
    numbered === 1 ? ['1 code is', 'it does'] : [`${grouped(numbered)} codes are`, 'they do'];
  return [
    howTo,
    `${codes} listed by number: ${look} not look like a code, so that anything may be typed there. ` +
      'core.order_statuses and core.payment_statuses have the texts; name those that are really statuses, by their numbers.',
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
  await using warehouse = await openWarehouse(context, readConfig(context));
  const { db } = warehouse;
  const shop = await findStoredShop(db, options.shop);
  const kind = options.payment === true ? 'payment' : 'order';
  if (options.add === true) await addCode(db, shop.shopId, kind, code);
  const changed = await change(db, shop.shopId, code);
  if (changed === undefined) throw await refusal(db, shop, kind);
  await stampViewChanges(db);
  const { statuses, payments } = await readOwnerCodes(db, shop.shopId);
  const listed: readonly Partial<OwnerStatus>[] = kind === 'order' ? statuses : payments;
  const known = listed.find((each) => each.code === changed) ?? {};
  const { name = changed, orders = 0, stage = null, is_sale = null } = known;
  context.io.out(changedText(shop, { kind, code: changed, name, orders, stage, is_sale }));
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
  if (order !== undefined && !/^\d{1,4}$/.test(order)) {
    throw new UsageError('--stage-order is a number from 0 to 9999');
  }
  const changes = {
    ...(stage !== undefined && { stage }),
    ...(name !== undefined && { name }),
    ...(sale !== undefined && { isSale: sale }),
    ...(order !== undefined && { stageOrder: Number(order) }),
  };
  return (db, shopId, code) => changeStatus(db, shopId, code, changes);
}

/** @throws UsageError that names the codes that there are */
async function refusal(db: Db, { shopId, shopKey }: StoredShop, kind: 'order' | 'payment') {
  const codes = await readOwnerCodes(db, shopId);
  const listed = kind === 'order' ? codes.statuses : codes.payments;
  const held = listed.map(({ code }) => codeText(code)).join(', ');
  const which = kind === 'order' ? 'status' : 'payment';
  return new UsageError(`no order of shop ${shopKey} had that ${which} code; it has ${held}; --add adds it`);
}

type Said = Pick<OwnerStatus, 'code' | 'name' | 'orders'> &
  Readonly<Record<'kind' | 'stage', string | null>> & { readonly is_sale: boolean | null };

function changedText({ shopKey: shop }: StoredShop, said: Said): string {
  const { code, name, stage, is_sale: isSale, orders, kind } = said;
  const held = orders === 1 ? '1 order has' : `${grouped(orders)} orders have`;
  if (kind === 'payment') {
    return `The payment code ${codeText(code)} of shop ${shop} is now called ${visible(name)}; ${held} it.\n`;
  }
  return (
    `The code ${codeText(code)} of shop ${shop} is now called ${visible(name)}, is of the stage ${stage}, and counts ` +
    `as ${isSale === true ? 'a' : 'no'} sale; ${held} it. All figures in bi follow at once, those of the past too.\n`
  );
}
