import { type AuthSubject, type LoginLink, requestLoginLink } from './endpoints/auth.ts';
import type { Charset } from '../http/charset.ts';
import type { Gauge } from '../http/client-health.ts';
import { type GroupRow, type GroupsQuery, listGroups } from './endpoints/groups.ts';
import { createHttp, type HttpOptions, type RequestCounts } from '../http/http-client.ts';
import { askOrder, type OrderAnswer, type OrderContent, orderContent } from './endpoints/order-content.ts';
import { listOrders, type OrdersPage, type OrdersQuery } from './endpoints/orders.ts';
import type { RetryPolicy } from '../http/retry.ts';
import { askUser, getUser, type UserAnswer, type UserReply } from './endpoints/users.ts';

/**
 * The documented API of one shop. Every request may throw TerminalError or TransientError; UnavailableError
 * where no other request would fare better now.
 */
export type ShopApi = {
  /** Requests sent so far by this client. */
  readonly counts: RequestCounts;
  /** How the shop is treated at this moment. */
  readonly gauge: Gauge;
  /** What the shop was found to write in; undefined before it wrote more than ASCII. */
  readonly charset: Charset | undefined;
  /** @param retry may ask for fewer tries than usual */
  listOrders(
    query: OrdersQuery,
    signal?: AbortSignal,
    retry?: Pick<RetryPolicy, 'maxTries'>,
  ): Promise<OrdersPage>;
  orderContent(orderId: string, signal?: AbortSignal): Promise<OrderContent>;
  /** Asks for the same, but once, and tells what kind of answer came, whatever that is. */
  orderAnswer(orderId: string, signal?: AbortSignal): Promise<OrderAnswer>;
  /** @param key the user's identifier, login or e-mail */
  user(key: string, signal?: AbortSignal): Promise<UserAnswer>;
  /** Asks for the same, but once, and tells what kind of answer came, whatever that is. */
  userReply(key: string, signal?: AbortSignal): Promise<UserReply>;
  groups(query: GroupsQuery, signal?: AbortSignal): Promise<readonly GroupRow[]>;
  loginLink(subject: AuthSubject, redirectUrl?: string, signal?: AbortSignal): Promise<LoginLink>;
};

/** A client for one shop, with its own limiter and counts. */
export function createShopApi(options: HttpOptions): ShopApi {
  const http = createHttp(options);
  return {
    counts: http.counts,
    gauge: http.gauge,
    get charset() {
      return http.charset;
    },
    listOrders: (query, signal, retry) => listOrders(http, query, signal, retry),
    orderContent: (orderId, signal) => orderContent(http, orderId, signal),
    orderAnswer: (orderId, signal) => askOrder(http, orderId, signal),
    user: (key, signal) => getUser(http, key, signal),
    userReply: (key, signal) => askUser(http, key, signal),
    groups: (query, signal) => listGroups(http, query, signal),
    loginLink: (subject, redirectUrl, signal) => requestLoginLink(http, subject, redirectUrl, signal),
  };
}
