/** Codes of the shop's own, such as statuses: which of them are shown, and what they mean. */

/** Stands for every code that is not shown, since somebody may have typed a person into it. */
export const HIDDEN_CODE = '(hidden)';

/** What codes look like; SQL and JavaScript read it alike. */
export const CODE_FORM = '^[A-Za-z0-9_-]{1,16}$';

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
