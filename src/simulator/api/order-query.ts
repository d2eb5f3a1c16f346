/** The filters of the orders list, parsed from the query string. */
import type { Dialect } from '../shop/dialect.ts';
import { type LocalSeconds, parseFilterTime } from '../shop/shop-clock.ts';
import type { StoredOrder } from '../shop/order-store.ts';
import type { SimOrder } from '../shop/sim-order.ts';
import type { ListQuery } from './order-list.ts';

export type OrderQuery = ListQuery<StoredOrder>;

/** The request is invalid; the message names the parameter. */
export class BadQuery extends Error {
  override readonly name = 'BadQuery';
}

type Filter = (order: SimOrder) => boolean;

const DEFAULT_LIMIT = 100;

const FILTERS: Readonly<Record<string, (value: string, name: string) => Filter>> = {
  fio: contains((order) => order.fio),
  address: contains((order) => order.address),
  email: contains((order) => order.email),
  phone: contains((order) => order.phone),
  summ_from: (value, name) => {
    const min = readCents(value, name);
    return (order) => order.sumCents >= min;
  },
  summ_to: (value, name) => {
    const max = readCents(value, name);
    return (order) => order.sumCents <= max;
  },
  pay_status: (value) => (order) => order.payStatus === value,
  color: (value) => (order) => order.color === value,
  status: (value) => (order) => order.status === value,
  product: (value) => (order) => order.lines.some((line) => String(line.productOid) === value),
  master_oid: (value) => (order) => String(order.buyerOid) === value,
};
const POSITIONS = ['start', 'limit', 'date_from', 'date_to'];

/**
 * Reads the documented parameters. An empty value is no filter, except for `status`, whose empty code means "no status",
 * unless the dialect ignores it.
 *
 * @throws BadQuery for an undocumented parameter or a malformed value
 */
export function parseOrderQuery(
  query: Readonly<Record<string, string>>,
  dialect: Pick<Dialect, 'emptyStatus' | 'filters'>,
): OrderQuery {
  const filters: Filter[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (POSITIONS.includes(name)) continue;
    const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
    if (filter === undefined) throw new BadQuery(`unknown parameter ${name}`);
    const isFilter = value !== '' || (name === 'status' && dialect.emptyStatus === 'obeyed');
    if (isFilter && dialect.filters !== 'ignored') filters.push(filter(value, name));
  }
  const isDated = filters.length === 0 || dialect.filters !== 'instead-of-dates';
  return {
    start: readWhole(query['start'], 'start', 0),
    limit: readWhole(query['limit'], 'limit', DEFAULT_LIMIT),
    dateFrom: isDated ? readTime(query['date_from'], 'date_from') : undefined,
    dateTo: isDated ? readTime(query['date_to'], 'date_to') : undefined,
    matches: filters.length === 0 ? undefined : ({ order }) => filters.every((filter) => filter(order)),
  };
}

/** @throws BadQuery unless the value is a whole number of 0 or more, or absent */
export function readWhole(value: string | undefined, name: string, absent: number): number {
  if (value === undefined || value === '') return absent;
  if (!/^\d{1,9}$/.test(value)) throw new BadQuery(`${name} must be a whole number of 0 or more`);
  return Number(value);
}

function contains(text: (order: SimOrder) => string): (value: string) => Filter {
  return (value) => {
    const part = value.toLowerCase();
    return (order) => text(order).toLowerCase().includes(part);
  };
}

function readCents(value: string, name: string): number {
  if (!/^-?\d+(?:\.\d+)?$/.test(value)) throw new BadQuery(`${name} must be a number`);
  return Math.round(Number(value) * 100);
}

function readTime(value: string | undefined, name: string): LocalSeconds | undefined {
  if (value === undefined || value === '') return undefined;
  const time = parseFilterTime(value);
  if (time === undefined) throw new BadQuery(`${name} must be a time as DD-MM-YYYY HH:MM:SS`);
  return time;
}
