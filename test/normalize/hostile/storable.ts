/** What PostgreSQL would refuse, or change, in a row. Knows the columns' types, and nothing of the normalizers. */
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';

import { isRawNumber } from '../../../src/model/json.ts';

const INT4 = 2 ** 31;
const INT8 = 2n ** 63n;

const CHECKS: readonly [type: RegExp, isStorable: (value: unknown, type: string) => boolean][] = [
  [/^text$/, (value) => typeof value === 'string' && isCleanText(value)],
  [/^boolean$/, (value) => typeof value === 'boolean'],
  [/^smallint$/, (value) => isWhole(value) && Math.abs(value) < 2 ** 15],
  [/^integer$/, (value) => isWhole(value) && value >= -INT4 && value < INT4],
  [/^bigint$/, isBigint],
  [/^numeric/, isNumeric],
  [/^date$/, (value) => isTime(`${String(value)}T00:00:00`)],
  [/^timestamp$/, isTime],
  [
    /^timestamp with time zone$/,
    (value) => String(value).endsWith('Z') && isTime(String(value).slice(0, -1)),
  ],
  [/^jsonb$/, isCleanJson],
];

type Column = {
  readonly name: string;
  readonly notNull: boolean;
  readonly type: string;
  readonly isStorable: (value: unknown, type: string) => boolean;
};

/** @returns finds the columns of a row that PostgreSQL could not hold as they are, and those that it does not know */
export function storageAudit(...tables: readonly PgTable[]): (row: object) => readonly string[] {
  const columns = new Map(
    tables.flatMap((table) => getTableConfig(table).columns.map((column) => [column.name, columnOf(column)])),
  );
  return (row) =>
    Object.entries(row).flatMap(([name, value]) => {
      const column = columns.get(name);
      const isGood = value === null ? column?.notNull === false : column?.isStorable(value, column.type);
      return isGood === true ? [] : [`${name} cannot be stored: ${JSON.stringify(value)}`];
    });
}

function columnOf(column: { name: string; notNull: boolean; getSQLType(): string }): Column {
  const type = column.getSQLType();
  const check = CHECKS.find(([pattern]) => pattern.test(type));
  if (check === undefined) throw new Error(`no check for the type ${type}`);
  return { name: column.name, notNull: column.notNull, type, isStorable: check[1] };
}

export function isCleanText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value) && !Object.is(value, -0);
}

function isBigint(value: unknown): boolean {
  if (typeof value !== 'string' || !/^(?:0|-?[1-9]\d{0,18})$/.test(value)) return false;
  return BigInt(value) >= -INT8 && BigInt(value) < INT8;
}

function isNumeric(value: unknown, type: string): boolean {
  const [, precision, scale] = /^numeric\((\d+), (\d+)\)$/.exec(type) ?? [];
  const [whole = '', decimals = ''] = String(value).replace(/^-/, '').split('.');
  const isDecimal = /^-?(?:0|[1-9]\d*)\.\d+$/.test(String(value)) && !/^-[0.]+$/.test(String(value));
  return isDecimal && decimals.length === Number(scale) && whole.length <= Number(precision) - Number(scale);
}

/** A moment that exists, of a year that every program takes. */
function isTime(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(value)) return false;
  const ms = Date.parse(`${value}Z`);
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== value) return false;
  return value >= '1969-12-31' && value < '2201-01-02';
}

/** Of any texts: what is no text to PostgreSQL is removed where JSON is written. */
function isCleanJson(value: unknown): boolean {
  if (typeof value === 'string') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return value === null || typeof value === 'boolean';
  if (isRawNumber(value)) return /^-?\d{1,200}(?:\.\d{1,200})?(?:e[+-]?\d{1,3})?$/i.test(value.rawJSON);
  if (Array.isArray(value)) return value.every(isCleanJson);
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isCleanJson);
}
