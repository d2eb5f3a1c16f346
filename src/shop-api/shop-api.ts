import type { Charset } from '../http/charset.ts';
import type { ClientHealth } from '../http/http-client.ts';
import type { FoundPace } from '../http/pace.ts';
import {
  getOrderContent,
  getOrderResponse,
  type OrderContent,
  type OrderResponse,
} from './endpoints/get-order-content.ts';
import { getUser, getUserResponse, type UserResponse, type UserResult } from './endpoints/get-user.ts';
import { type GroupRow, type GroupsQuery, listGroups } from './endpoints/list-groups.ts';
import { type ListOptions, listOrders, type OrdersPage, type OrdersQuery } from './endpoints/list-orders.ts';
import { type AuthSubject, type LoginLink, requestLoginLink } from './endpoints/request-login-link.ts';
import { createShopHttp, type RequestCounts, type ShopApiOptions } from './shop-http.ts';

/**
 * The documented API of one shop. Every request may throw TerminalError or TransientError; UnavailableError
 * where other requests would fail too.
 */
export type ShopApi = {
  /** Requests sent so far by this client. */
  readonly counts: RequestCounts;
  /** How the client treats the shop at this moment. */
  readonly health: ClientHealth;
  /** Goes on at the pace that an earlier run found, unless this client has found one by itself. */
  resume(found: FoundPace): void;
  /** The charset of the shop's responses; undefined before there was more than ASCII. */
  readonly charset: Charset | undefined;
  listOrders(query: OrdersQuery, signal?: AbortSignal, options?: ListOptions): Promise<OrdersPage>;
  orderContent(orderId: string, signal?: AbortSignal): Promise<OrderContent>;
  /** Sends the same request, but once, and returns what kind of response came, whatever that is. */
  orderResponse(orderId: string, signal?: AbortSignal): Promise<OrderResponse>;
  /** @param key the user's identifier, login or e-mail */
  user(key: string, signal?: AbortSignal): Promise<UserResult>;
  /** Sends the same request, but once, and returns what kind of response came, whatever that is. */
  userResponse(key: string, signal?: AbortSignal): Promise<UserResponse>;
  groups(query: GroupsQuery, signal?: AbortSignal): Promise<readonly GroupRow[]>;
  loginLink(subject: AuthSubject, redirectUrl?: string, signal?: AbortSignal): Promise<LoginLink>;
};

/** A client for one shop, with its own limiter and counts. */
export function createShopApi(options: ShopApiOptions): ShopApi {
  const http = createShopHttp(options);
  return {
    counts: http.counts,
    get health() {
      return http.health;
    },
    resume: (found) => http.resume(found),
    get charset() {
      return http.charset;
    },
    listOrders: (query, signal, options) => listOrders(http, query, signal, options),
    orderContent: (orderId, signal) => getOrderContent(http, orderId, signal),
    orderResponse: (orderId, signal) => getOrderResponse(http, orderId, signal),
    user: (key, signal) => getUser(http, key, signal),
    userResponse: (key, signal) => getUserResponse(http, key, signal),
    groups: (query, signal) => listGroups(http, query, signal),
    loginLink: (subject, redirectUrl, signal) => requestLoginLink(http, subject, redirectUrl, signal),
  };
}
