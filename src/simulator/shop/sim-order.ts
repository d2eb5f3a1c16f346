/** An order as it truly is, whatever dialect the API speaks, and how it changes. Amounts are whole cents. */
import type { Random } from './random.ts';
import type { Contact } from './sim-users.ts';
import { nextStatus } from './statuses.ts';

export type SimLine = {
  /** `<productOid>_<hash of the chosen specifications>`. */
  readonly oid: string;
  readonly productOid: number;
  readonly code: string;
  readonly name: string;
  readonly articul: string;
  readonly quantity: number;
  /** Whole percent off the list price; 0 for none. */
  readonly discountPercent: number;
  readonly unitPriceCents: number;
  readonly totalCents: number;
  readonly listPriceCents: number;
  readonly listTotalCents: number;
  readonly unitWeightGrams: number;
};

export type SimField = { readonly key: string; readonly value: string | number; readonly label: string };

export type SimOrder = Contact & {
  readonly orderId: number;
  /** To the second; the API shows minutes. */
  readonly createdLocal: Temporal.PlainDateTime;
  /** Shown in place of the date, such as `00.00.0000` or nothing; no date filter finds such an order. */
  readonly createdText: string | null;
  readonly updatedLocal: Temporal.PlainDateTime;
  readonly status: string;
  readonly payStatus: string;
  readonly color: string;
  readonly currency: string;
  readonly payMethod: string;
  readonly sumCents: number;
  readonly paidCents: number;
  /** Percent off the whole order, with the sign; empty for none. Already in the lines' prices. */
  readonly discount: string;
  readonly deliveryName: string;
  readonly deliveryId: number;
  readonly deliveryPriceCents: number;
  readonly itemCount: number;
  readonly weightGrams: number;
  readonly comment: string;
  readonly fields: readonly SimField[];
  readonly buyerOid: number;
  readonly userUniqueKey: string;
  readonly users: string;
  readonly hash: string;
  readonly views: number;
  readonly lines: readonly SimLine[];
};

/** What an insert or an edit may set. */
export type OrderChange = Partial<Omit<SimOrder, 'orderId'>>;

type Totals = Pick<SimOrder, 'sumCents' | 'paidCents' | 'itemCount' | 'weightGrams'>;

/** `HP` means 30 % of the sum paid; a payment status that the shop invented, nothing. */
export function computeTotals(order: Pick<SimOrder, 'lines' | 'deliveryPriceCents' | 'payStatus'>): Totals {
  const add = (value: (line: SimLine) => number) => order.lines.reduce((sum, line) => sum + value(line), 0);
  const sumCents = add((line) => line.totalCents) + order.deliveryPriceCents;
  const paidShare = { S: 0, HP: 0.3, FP: 1 }[order.payStatus] ?? 0;
  return {
    sumCents,
    paidCents: Math.round(sumCents * paidShare),
    itemCount: add((line) => line.quantity),
    weightGrams: add((line) => line.quantity * line.unitWeightGrams),
  };
}

/** The order with the change; totals follow what they depend on, unless the change gives them. */
export function withChange(order: SimOrder, change: OrderChange): SimOrder {
  const changed = { ...order, ...change };
  const hasOtherTotals = 'lines' in change || 'deliveryPriceCents' in change || 'payStatus' in change;
  return hasOtherTotals ? { ...changed, ...computeTotals(changed), ...change } : changed;
}

/** The next status, paid when delivered; after a final status, one more of the first line. */
export function makeChange(random: Random, order: SimOrder): OrderChange {
  const status = nextStatus(random, order.status);
  if (status === 'C') return { status, payStatus: 'FP' };
  if (status !== undefined) return { status };
  const [first, ...others] = order.lines;
  if (first === undefined) return { comment: `${order.comment} .`.trim() };
  const quantity = first.quantity + 1;
  const totalCents = first.unitPriceCents * quantity;
  return {
    lines: [{ ...first, quantity, totalCents, listTotalCents: first.listPriceCents * quantity }, ...others],
  };
}
