import { type AuthSubject, type LoginLink, requestLoginLink } from './auth.ts';
import type { Gauge } from './gauge.ts';
import { type GroupRow, type GroupsQuery, listGroups } from './groups.ts';
import { createHttp, type HttpOptions, type RequestCounts } from './http.ts';
import { listOrders, type OrderContent, orderContent, type OrdersPage, type OrdersQuery } from './orders.ts';
import { getUser, type UserAnswer } from './users.ts';

/**
 * The documented API of one shop. Every request may throw TerminalError or TransientError; UnavailableError
 * where no other request would fare better now.
 */
export type ShopApi = {
  /** Requests sent so far by this client. */
  readonly counts: RequestCounts;
  /** How the shop is treated at this moment. */
  readonly gauge: Gauge;
  listOrders(query: OrdersQuery, signal?: AbortSignal): Promise<OrdersPage>;
  orderContent(orderId: string, signal?: AbortSignal): Promise<OrderContent>;
  /** @param key the user's identifier, login or e-mail */
  user(key: string, signal?: AbortSignal): Promise<UserAnswer>;
  groups(query: GroupsQuery, signal?: AbortSignal): Promise<readonly GroupRow[]>;
  loginLink(subject: AuthSubject, redirectUrl?: string, signal?: AbortSignal): Promise<LoginLink>;
};

/** A client for one shop, with its own limiter and counts. */
export function createShopApi(options: HttpOptions): ShopApi {
  const http = createHttp(options);
  return {
    counts: http.counts,
    gauge: http.gauge,
    listOrders: (query, signal) => listOrders(http, query, signal),
    orderContent: (orderId, signal) => orderContent(http, orderId, signal),
    user: (key, signal) => getUser(http, key, signal),
    groups: (query, signal) => listGroups(http, query, signal),
    loginLink: (subject, redirectUrl, signal) => requestLoginLink(http, subject, redirectUrl, signal),
  };
}
