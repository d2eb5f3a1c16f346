/** Where an order is in its life, as its status says. */
export const ORDER_STAGES = [
  'draft',
  'open',
  'fulfilment',
  'delivered',
  'cancelled',
  'returned',
  'other',
  'unknown',
] as const;
export type OrderStage = (typeof ORDER_STAGES)[number];

const SALE_STAGES: readonly OrderStage[] = ['open', 'fulfilment', 'delivered'];

/** Whether orders of a stage count as revenue, unless somebody says otherwise: so do the documented codes. */
export function isSaleStage(stage: OrderStage): boolean {
  return SALE_STAGES.includes(stage);
}
