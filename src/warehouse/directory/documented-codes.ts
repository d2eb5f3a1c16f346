/** The platform's documented codes, which each shop's tables are seeded with. Analysts may edit the copies. */

type OrderStatusSeed = {
  readonly status_code: string;
  readonly name: string;
  readonly stage: string;
  readonly is_sale: boolean;
  readonly is_final: boolean;
};

const status = (
  status_code: string,
  name: string,
  stage: string,
  { is_sale = true, is_final = false } = {},
): OrderStatusSeed => ({ status_code, name, stage, is_sale, is_final });

/** In the usual order of an order's life. */
export const DOCUMENTED_ORDER_STATUSES: readonly OrderStatusSeed[] = [
  status('', 'No status', 'other', { is_sale: false }),
  status('U', 'Being placed', 'draft', { is_sale: false }),
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
  status('F', 'Cancelled', 'cancelled', { is_sale: false, is_final: true }),
  status('R', 'Returned at pickup', 'returned', { is_sale: false, is_final: true }),
  status('K', 'Returned by courier', 'returned', { is_sale: false, is_final: true }),
];

export const DOCUMENTED_PAYMENT_STATUSES: readonly { pay_status_code: string; name: string }[] = [
  { pay_status_code: '', name: 'Unspecified' },
  { pay_status_code: 'S', name: 'Not paid' },
  { pay_status_code: 'HP', name: 'Partly paid' },
  { pay_status_code: 'FP', name: 'Fully paid' },
];
