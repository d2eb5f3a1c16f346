/** The filters of the orders list: reading them from a query string, and what they match. */
import { type LocalSeconds, parseFilterTime } from '../shop/shop-clock.ts';
import type { SimOrder } from '../shop/sim-order.ts';

export type OrderQuery = {
  readonly start: number;
  readonly limit: number;
  readonly dateFrom: LocalSeconds | undefined;
  readonly dateTo: LocalSeconds | undefined;
  /** Whether an order passes every filter but the dates. */
  readonly matches: (order: SimOrder) => boolean;
  /** True when the dates are the only filters. */
  readonly isDatesOnly: boolean;
};

/** The request cannot be understood; the message names the parameter. */
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
    const least = numberOf(value, name) * 100;
    return (order) => order.sumCents >= least;
  },
  summ_to: (value, name) => {
    const most = numberOf(value, name) * 100;
    return (order) => order.sumCents <= most;
  },
  pay_status: (value) => (order) => order.payStatus === value,
  color: (value) => (order) => order.color === value,
  status: (value) => (order) => order.status === value,
  product: (value) => (order) => order.lines.some((line) => String(line.productOid) === value),
  master_oid: (value) => (order) => String(order.buyerOid) === value,
};
const POSITIONS = ['start', 'limit', 'date_from', 'date_to'];

/**
 * Reads the documented parameters. An empty value is no filter, except for `status`, whose empty code means "no status".
 *
 * @throws BadQuery for a parameter that is not documented and for a value that is not in its documented format
 */
export function parseOrderQuery(query: Readonly<Record<string, string>>): OrderQuery {
  const filters: Filter[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (POSITIONS.includes(name)) continue;
    const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
    if (filter === undefined) throw new BadQuery(`unknown parameter ${name}`);
    if (value !== '' || name === 'status') filters.push(filter(value, name));
  }
  return {
    start: wholeOf(query['start'], 'start', 0),
    limit: wholeOf(query['limit'], 'limit', DEFAULT_LIMIT),
    dateFrom: timeOf(query['date_from'], 'date_from'),
    dateTo: timeOf(query['date_to'], 'date_to'),
    matches: (order) => filters.every((filter) => filter(order)),
    isDatesOnly: filters.length === 0,
  };
}

/**
 * Reads a whole number of 0 or more.
 *
 * @throws BadQuery when it is none
 */
export function wholeOf(value: string | undefined, name: string, absent: number): number {
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

function numberOf(value: string, name: string): number {
  if (!/^-?\d+(?:\.\d+)?$/.test(value)) throw new BadQuery(`${name} must be a number`);
  return Number(value);
}

function timeOf(value: string | undefined, name: string): LocalSeconds | undefined {
  if (value === undefined || value === '') return undefined;
  const time = parseFilterTime(value);
  if (time === undefined) throw new BadQuery(`${name} must be a time as DD-MM-YYYY HH:MM:SS`);
  return time;
}
