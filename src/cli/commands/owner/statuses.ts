import { nextStep } from '../../../next-step.ts';
import { grouped } from '../../../amount-text.ts';
import { type OwnerCodes, readOwnerCodes, type SetBy } from '../../../warehouse/directory/owner-codes.ts';
import { type CliContext, EXIT, type ExitCode } from '../../output/io.ts';
import { visible, wrapNote } from '../../output/display-text.ts';
import { table } from '../../output/table.ts';
import { printStoredShops } from '../../stored-shops.ts';

/** `statuses`: what the status codes of each shop mean. Uses the database only. */
export async function statusesCommand(
  context: CliContext,
  options: { readonly shop?: string },
): Promise<ExitCode> {
  await printStoredShops(context, options.shop, async (db, { shopId, shopKey }) => {
    const { statuses, payments } = await readOwnerCodes(db, shopId);
    const document = {
      shop: shopKey,
      statuses: statuses.shown,
      hidden: statuses.hidden,
      payment_statuses: payments.shown,
      hidden_payments: payments.hidden,
    };
    return { document, text: statusesText(shopKey, { statuses, payments }, context.io.outColumns()) };
  });
  return EXIT.done;
}

/** A code for people: the empty one means that the shop sent none. */
export const codeText = (code: string) => (code === '' ? '""' : visible(code));

const SET_BY: Readonly<Record<SetBy, string>> = {
  documentation: 'the documentation',
  owner: 'you',
  nobody: 'nobody yet',
};

function statusesText(shop: string, codes: OwnerCodes, columns: number | undefined): string {
  const { statuses, payments } = codes;
  const statusRows = statuses.shown.map((status) => [
    codeText(status.code),
    visible(status.name),
    status.stage,
    status.is_sale ? 'yes' : 'no',
    grouped(status.orders),
    SET_BY[status.set_by],
  ]);
  const paymentRows = payments.shown.map((status) => [
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
  const hidden = statuses.hidden.codes + payments.hidden.codes;
  const orders = grouped(statuses.hidden.orders + payments.hidden.orders);
  return [
    `\`${nextStep('classify status', { shop })}\` says what a code means, for past orders too; ` +
      `\`${nextStep('name payment', { shop })}\` names a payment code.`,
    ...(hidden > 0
      ? [
          `${hidden === 1 ? '1 code is' : `${grouped(hidden)} codes are`} not listed (${orders} orders): ${hidden === 1 ? 'it looks' : 'they look'} ` +
            `like no code, so a person may be typed there. The settings of the shop list its codes: set ` +
            'those that are really statuses.',
        ]
      : []),
  ];
}
