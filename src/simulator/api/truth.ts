/** True orders as JSON for other processes. */
import type { JsonObject } from '../../json.ts';
import type { SimLine, SimOrder } from '../shop/sim-order.ts';
import { decimalText } from './wire-values.ts';

/** Amounts are decimal text with two digits, weights with three; local times are ISO 8601 without offset. */
export function truthRecord(order: SimOrder): JsonObject {
  const { sumCents, paidCents, deliveryPriceCents, weightGrams, createdLocal, updatedLocal, ...plain } =
    order;
  return {
    ...plain,
    createdLocal: createdLocal.toString({ smallestUnit: 'second' }),
    updatedLocal: updatedLocal.toString({ smallestUnit: 'second' }),
    sum: decimalText(sumCents, 2),
    paid: decimalText(paidCents, 2),
    deliveryPrice: decimalText(deliveryPriceCents, 2),
    weight: decimalText(weightGrams, 3),
    lines: order.lines.map(truthLine),
  };
}

function truthLine(line: SimLine): JsonObject {
  const { unitPriceCents, totalCents, listPriceCents, listTotalCents, unitWeightGrams, ...plain } = line;
  return {
    ...plain,
    unitPrice: decimalText(unitPriceCents, 2),
    total: decimalText(totalCents, 2),
    listPrice: decimalText(listPriceCents, 2),
    listTotal: decimalText(listTotalCents, 2),
    unitWeight: decimalText(unitWeightGrams, 3),
  };
}
