/** The platform's documented codes, which each shop's tables are seeded with. Analysts may edit the copies. */
import { isSaleStage, type OrderStage } from '../../model/status-codes.ts';

const status = (status_code: string, name: string, stage: OrderStage, { is_final = false } = {}) => ({
  status_code,
  name,
  stage,
  is_sale: isSaleStage(stage),
  is_final,
});

/** In the usual order of an order's life. */
export const DOCUMENTED_ORDER_STATUSES = [
  status('', 'No status', 'other'),
  status('U', 'Being placed', 'draft'),
  status('A', 'Accepted', 'open'),
  status('N', 'Confirmed', 'open'),
  status('G', 'Being processed', 'open'),
  status('V', 'Question', 'open'),
  status('Z', 'Delayed', 'open'),
  status('P', 'Being assembled', 'fulfilment'),
  status('S', 'Ready for dispatch', 'fulfilment'),
  status('O', 'Dispatched', 'fulfilment'),
  status('M', 'At the pickup point', 'fulfilment'),
  status('C', 'Delivered', 'delivered', { is_final: true }),
  status('Q', 'Review requested', 'delivered', { is_final: true }),
  status('F', 'Cancelled', 'cancelled', { is_final: true }),
  status('R', 'Returned at pickup', 'returned', { is_final: true }),
  status('K', 'Returned by courier', 'returned', { is_final: true }),
];

export const DOCUMENTED_PAYMENT_STATUSES = [
  { pay_status_code: '', name: 'Unspecified' },
  { pay_status_code: 'S', name: 'Not paid' },
  { pay_status_code: 'HP', name: 'Partly paid' },
  { pay_status_code: 'FP', name: 'Fully paid' },
];
