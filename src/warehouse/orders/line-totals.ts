import type { LineFacts } from '../../line-facts.ts';
import type { orderLines } from '../schema/orders.ts';

/** What the lines of an order come to, as far as its list row tells the same. */
export function describeLines(
  lines: readonly (PricedLine & Pick<typeof orderLines.$inferInsert, 'quantity'>)[],
): Pick<LineFacts, 'line_count' | 'quantity' | keyof LineTotals> {
  const quantities = lines.map(({ quantity }) => quantity ?? null);
  const quantity = quantities.includes(null) ? null : quantities.reduce((sum, one) => sum + Number(one), 0);
  return { line_count: lines.length, quantity, ...addUpLines(lines) };
}

type PricedLine = Pick<typeof orderLines.$inferInsert, 'line_total' | 'list_total'>;

/** Sums of an order's lines as decimal text; null without lines, or where a line has no amount. */
export type LineTotals = { readonly lines_total: string | null; readonly list_total: string | null };

export const NO_TOTALS: LineTotals = { lines_total: null, list_total: null };

/**
 * Adds up the lines of an order, after and before discount. A list total of 0 of a line that costs something was not sent.
 *
 * @param lines amounts with two decimal digits, as the normalizers write them
 */
export function addUpLines(lines: readonly PricedLine[]): LineTotals {
  return {
    lines_total: addUp(lines.map(({ line_total: total }) => toCents(total))),
    list_total: addUp(lines.map(listCents)),
  };
}

function listCents({ line_total: total, list_total: list }: PricedLine): bigint | undefined {
  const cents = toCents(list);
  return cents === 0n && toCents(total) !== 0n ? undefined : cents;
}

function toCents(amount: string | null | undefined): bigint | undefined {
  if (amount === null || amount === undefined) return undefined;
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(`${whole}${fraction.padEnd(2, '0')}`);
}

function addUp(amounts: readonly (bigint | undefined)[]): string | null {
  const known = amounts.filter((amount) => amount !== undefined);
  if (known.length === 0 || known.length < amounts.length) return null;
  const cents = known.reduce((sum, amount) => sum + amount, 0n);
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
