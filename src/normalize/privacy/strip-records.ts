/** What is left of an order and a user that are stored without their person. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { CODE_FORM, HIDDEN_CODE } from '../../shown-code.ts';
import { ORDER_FIELDS, type OrderRow } from '../order-fields.ts';
import { CODE_FIELDS, hideIn } from './hide-mentions.ts';
import type { IsPersonal } from './names-person.ts';

const TEXT_COLUMNS = [
  'color',
  'currency',
  'pay_method',
  'discount_raw',
  'delivery_name',
  'order_hash',
] as const satisfies (keyof OrderRow)[];
const CODE_COLUMNS = ['status_code', 'pay_status_code'] as const satisfies (keyof OrderRow)[];

/** Columns into which somebody may have typed a person, although they are not meant for that. */
export type TypedColumns = Pick<OrderRow, (typeof TEXT_COLUMNS | typeof CODE_COLUMNS)[number]>;

/** What to write instead: columns, and fields of the payload. */
export type Replaced = {
  readonly columns: Partial<TypedColumns>;
  readonly fields: JsonObject;
};

type StripOptions = {
  /** Whether only what looks like it should is kept. */
  readonly checksForm: boolean;
  /** Whether a text names the person of the order, or holds a contact. */
  readonly isPersonal: IsPersonal;
  /** Whether a code of {@link CODE_COLUMNS} is a documented one, or one that the owner classified. */
  readonly isKnownCode: (column: string, code: string) => boolean;
};

const FIELDS: Readonly<Record<(typeof TEXT_COLUMNS)[number], keyof typeof ORDER_FIELDS>> = {
  color: 'color',
  currency: 'currency',
  pay_method: 'pay_method',
  discount_raw: 'discount',
  delivery_name: 'delivery',
  order_hash: 'hash',
};
const looksLikeCode = new RegExp(CODE_FORM);

function fits(field: keyof typeof ORDER_FIELDS, text: string): boolean {
  return ORDER_FIELDS[field].kept.fits?.(text) !== false;
}

/** The typed columns of an order without its person. */
export function stripOrder(
  row: TypedColumns,
  { checksForm, isPersonal, isKnownCode }: StripOptions,
): Replaced {
  const columns: { -readonly [Column in keyof TypedColumns]?: TypedColumns[Column] } = {};
  const fields: Record<string, JsonValue> = {};
  for (const column of TEXT_COLUMNS) {
    const text = row[column];
    const field = FIELDS[column];
    const isKept = text === null || ((!checksForm || fits(field, text)) && !isPersonal(text));
    if (!isKept) [columns[column], fields[field]] = [null, null];
  }
  for (const [at, column] of CODE_COLUMNS.entries()) {
    const code = row[column];
    const isKept = isKnownCode(column, code) || (looksLikeCode.test(code) && !isPersonal(code));
    if (isKept || code === '' || code === HIDDEN_CODE) continue;
    [columns[column], fields[CODE_FIELDS[at] ?? '']] = [HIDDEN_CODE, HIDDEN_CODE];
  }
  return { columns, fields };
}

/** The typed columns of somebody else's order, without the person's contacts. */
export function hideInColumns(row: TypedColumns, isMention: IsPersonal): Replaced {
  const isKnownCode = (_column: string, code: string) => !isMention(code);
  return stripOrder(row, { checksForm: false, isPersonal: isMention, isKnownCode });
}

/** Of extra fields those that are kept; a value or label that names the person becomes null. */
export function keepFields(
  fields: JsonValue,
  kept: ReadonlySet<string>,
  isPersonal: IsPersonal,
): JsonObject | null {
  if (!isJsonObject(fields)) return null;
  const entries = Object.entries(fields).flatMap(([name, entry]): [string, JsonValue][] =>
    kept.has(name) ? [[name, hideIn(entry, isPersonal)]] : [],
  );
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** Documented fields of a person, whatever the settings say. */
const NEVER_KEPT = new Set('login email phone name org_name gender address images'.split(' '));

/** Of a user's profile the fields that are kept, as far as they do not name the person. */
export function keepProfile(
  content: JsonValue,
  kept: ReadonlySet<string>,
  isPersonal: IsPersonal,
): JsonObject | null {
  const allowed = kept.difference(NEVER_KEPT);
  return keepFields(content, allowed, isPersonal);
}
