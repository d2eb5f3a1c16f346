import type { reportJson } from './shop-report.ts';

/** One shop's status, as `order-sync status --json` prints it, `/status.json` serves it and the page shows it. */
export type ShopStatusJson = ReturnType<typeof reportJson>;
