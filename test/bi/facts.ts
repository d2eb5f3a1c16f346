/** What the marts care about in the orders of the simulated shop; read from its true state, not from any answer of it. */
import { sum } from './exact.ts';
import type { SimOrder } from '../../src/simulator/shop/sim-order.ts';

export type Fact = {
  readonly id: number;
  readonly day: string;
  /** The first of its month. */
  readonly month: string;
  /** Sorts as the orders were placed, as far as the shop tells: to the minute, then by number. */
  readonly moment: string;
  readonly currency: string | null;
  readonly cents: number;
  readonly paidCents: number;
  readonly units: number;
  readonly goodsCents: number;
  readonly listCents: number;
  readonly discountCents: number;
  readonly deliveryCents: number;
  readonly customer: string;
  readonly isGuest: boolean;
  readonly kind: 'sale' | 'cancelled' | 'returned' | 'draft' | 'other';
  readonly order: SimOrder;
};

const KINDS: Readonly<Record<string, Fact['kind']>> = {
  ...Object.fromEntries('ANGVZPSOMCQ'.split('').map((code) => [code, 'sale' as const])),
  F: 'cancelled',
  R: 'returned',
  K: 'returned',
  U: 'draft',
};

export function factsOf(orders: readonly SimOrder[]): readonly Fact[] {
  return orders.map((order) => {
    const minute = order.createdLocal.toString().slice(0, 16);
    return {
      id: order.orderId,
      day: minute.slice(0, 10),
      month: `${minute.slice(0, 7)}-01`,
      moment: `${minute} ${String(order.orderId).padStart(12, '0')}`,
      currency: order.currency === '' ? null : order.currency,
      cents: order.sumCents,
      paidCents: order.paidCents,
      units: sum(order.lines.map(({ quantity }) => quantity)),
      ...amountsOf(order),
      customer: customerOf(order),
      isGuest: order.buyerOid === 6,
      kind: KINDS[order.status] ?? 'other',
      order,
    };
  });
}

function amountsOf({ lines, discount, deliveryPriceCents }: SimOrder) {
  const listCents = sum(lines.map(({ listTotalCents }) => listTotalCents));
  const share = /^(\d+)%$/.exec(discount)?.[1];
  return {
    goodsCents: sum(lines.map(({ totalCents }) => totalCents)),
    listCents,
    discountCents:
      share === undefined ? Number(discount) * 100 : Math.round((listCents * Number(share)) / 100),
    deliveryCents: deliveryPriceCents,
  };
}

/** Guests are told apart by what they left, and each is a customer of one order where that is nothing. */
function customerOf({ buyerOid, email, phone, orderId }: SimOrder): string {
  if (buyerOid !== 6) return `user ${buyerOid}`;
  return (
    [email.toLowerCase(), phone.replaceAll(/\D/g, ''), `order ${orderId}`].find((text) => text !== '') ?? ''
  );
}

export const salesOf = (facts: readonly Fact[]) => facts.filter(({ kind }) => kind === 'sale');
