/** The truth about an order: typed, exact, and the same whatever dialect the API speaks. Amounts are whole cents. */
import type { Contact } from './people.ts';

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
  /** To the second, though the API shows minutes. */
  readonly createdLocal: Temporal.PlainDateTime;
  /** What the list shows in place of the date, such as `00.00.0000` or nothing; no date filter finds such an order. */
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

/** What an insert or an edit may say about an order. */
export type OrderChange = Partial<Omit<SimOrder, 'orderId'>>;

type Totals = Pick<SimOrder, 'sumCents' | 'paidCents' | 'itemCount' | 'weightGrams'>;

/**
 * What follows from the lines, the delivery price and the payment status:
 * the sum is the lines' totals plus the delivery price; paid is 0 for `S`, 30 % of the sum to the cent for `HP`, the
 * sum for `FP` and 0 for a code the shop invented; the count is the sum of the quantities.
 */
export function totalsOf(order: Pick<SimOrder, 'lines' | 'deliveryPriceCents' | 'payStatus'>): Totals {
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

/** The line with another quantity, its totals following. */
export function withQuantity(line: SimLine, quantity: number): SimLine {
  return {
    ...line,
    quantity,
    totalCents: line.unitPriceCents * quantity,
    listTotalCents: line.listPriceCents * quantity,
  };
}
