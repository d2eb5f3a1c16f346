/** The platform's documented codes, which each shop's tables are seeded with. Analysts may edit the copies. */
import { isSaleStage, type OrderStage } from '../../model/status-codes.ts';

const STATUSES: readonly (readonly [code: string, name: string, stage: OrderStage])[] = [
  ['', 'No status', 'other'],
  ['U', 'Being placed', 'draft'],
  ['A', 'Accepted', 'open'],
  ['N', 'Confirmed', 'open'],
  ['G', 'Being processed', 'open'],
  ['V', 'Question', 'open'],
  ['Z', 'Delayed', 'open'],
  ['P', 'Being assembled', 'fulfilment'],
  ['S', 'Ready for dispatch', 'fulfilment'],
  ['O', 'Dispatched', 'fulfilment'],
  ['M', 'At the pickup point', 'fulfilment'],
  ['C', 'Delivered', 'delivered'],
  ['Q', 'Review requested', 'delivered'],
  ['F', 'Cancelled', 'cancelled'],
  ['R', 'Returned at pickup', 'returned'],
  ['K', 'Returned by courier', 'returned'],
];

const FINAL_STAGES: readonly OrderStage[] = ['delivered', 'cancelled', 'returned'];

/** In the usual order of an order's life. */
export const DOCUMENTED_STATUSES = STATUSES.map(([code, name, stage], stage_order) => {
  return {
    code,
    name,
    stage,
    stage_order,
    is_sale: isSaleStage(stage),
    is_final: FINAL_STAGES.includes(stage),
  };
});

export const DOCUMENTED_PAYMENTS = [
  { code: '', name: 'Unspecified' },
  { code: 'S', name: 'Not paid' },
  { code: 'HP', name: 'Partly paid' },
  { code: 'FP', name: 'Fully paid' },
];
