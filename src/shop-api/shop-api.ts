/** The API of a shop of this platform: where it is, credentials, routes, endpoints, and how to probe whether it is up. */
import { TransientError } from '../model/errors.ts';
import { createHttpClient, type HttpClient, type RequestCounts as HttpCounts } from '../http/http-client.ts';
import type { EndedAttempt as HttpEndedAttempt, HttpLimits } from '../http/http-options.ts';
import type { HttpRequest, ResponseHead, RoutePolicies } from '../http/request.ts';
import { isJsonObject } from '../model/json.ts';
import {
  contentOf,
  type FoundUser,
  getRecord,
  getResponse,
  type Gone,
  type RecordResponse,
  userOf,
} from './endpoints/get-record.ts';
import { type GroupRow, type GroupsQuery, listGroups } from './endpoints/list-groups.ts';
import {
  createUncachedQuery,
  type ListOptions,
  type OrdersPage,
  type OrdersQuery,
  toWireQuery,
} from './endpoints/list-orders.ts';
import type { OrderContent } from './endpoints/order-content.ts';
import { createOrderList } from './endpoints/order-list.ts';
import { type AuthSubject, type LoginLink, requestLoginLink } from './endpoints/request-login-link.ts';
import type { ApiClient, ApiRequest, Route } from './wire/api-request.ts';
import { describeAge, judgeStatus, type NotFound, saysNoRows } from './wire/judge-status.ts';
import { dataReader, hasMessage, readAnswer } from './wire/read-answer.ts';
import { judgePause } from './wire/response-kind.ts';

/**
 * The documented API of one shop. Every request may throw TerminalError or TransientError; UnavailableError
 * where other requests would fail too.
 */
export type ShopApi = Omit<HttpClient<Route>, 'send'> & {
  /** What stood beside the data of an answer since this was last asked for, by its kind and length. */
  takeBeside(): string | undefined;
  listOrders(query: OrdersQuery, signal?: AbortSignal, options?: ListOptions): Promise<OrdersPage>;
  orderContent(orderId: string, signal?: AbortSignal): Promise<OrderContent | Gone>;
  /** Sends the same request, but once, and returns what kind of response came, whatever that is. */
  orderResponse(orderId: string, signal?: AbortSignal): Promise<RecordResponse<OrderContent>>;
  /** @param key the user's identifier, login or e-mail */
  user(key: string, signal?: AbortSignal): Promise<FoundUser | Gone>;
  /** Sends the same request, but once, and returns what kind of response came, whatever that is. */
  userResponse(key: string, signal?: AbortSignal): Promise<RecordResponse<FoundUser>>;
  groups(query: GroupsQuery, signal?: AbortSignal): Promise<readonly GroupRow[]>;
  loginLink(subject: AuthSubject, redirectUrl?: string, signal?: AbortSignal): Promise<LoginLink>;
};

export type ShopApiOptions = HttpLimits & {
  /** The shop's address, such as `https://shop.example`. */
  readonly baseUrl: string;
  readonly login: string;
  readonly apiKey: string;
  /** Called with the host of a redirect that is not followed. */
  readonly onRedirect?: (host: string) => void;
  /** Called at the end of every attempt. */
  readonly onAttempt?: (ended: EndedAttempt) => void;
};

export type EndedAttempt = HttpEndedAttempt<Route>;
export type RequestCounts = HttpCounts<Route>;

/** A client for one shop, with its own limiter and counts. */
export function createShopApi(options: ShopApiOptions): ShopApi {
  const { login, apiKey, baseUrl } = options;
  const address = baseUrl.replace(/\/+$/, '');
  let latestBeside: string | undefined;
  const toHttp = createReader(address, (beside) => (latestBeside = beside));
  const http = createHttpClient({
    ...options,
    baseUrl: address + BASE_PATH,
    headers: { authorization: `Basic ${Buffer.from(`${login}:${apiKey}`).toString('base64')}` },
    routes: ROUTES,
    probeRequests: () => [{ limit: 1 }, createUncachedQuery()].map((query) => toHttp(toProbe(query))),
  });
  const client: ApiClient = { send: async (request) => http.send(toHttp(request)) };
  return {
    counts: http.counts,
    get health() {
      return http.health;
    },
    resume: (found) => http.resume(found),
    takeBeside() {
      const beside = latestBeside;
      latestBeside = undefined;
      return beside;
    },
    get charset() {
      return http.charset;
    },
    listOrders: createOrderList(client),
    orderContent: (orderId, signal) => getRecord(client, contentOf(orderId), signal),
    orderResponse: (orderId, signal) => getResponse(client, contentOf(orderId), signal),
    user: (key, signal) => getRecord(client, userOf(key), signal),
    userResponse: (key, signal) => getResponse(client, userOf(key), signal),
    groups: (query, signal) => listGroups(client, query, signal),
    loginLink: (subject, redirectUrl, signal) => requestLoginLink(client, subject, redirectUrl, signal),
  };
}

/** The path of the API below the shop's address. */
const BASE_PATH = '/adm/api/';

const ROUTES: RoutePolicies<Route> = {
  orders: { label: '/orders', refusalScope: 'shop' },
  content: { label: '/orders/ID', refusalScope: 'record' },
  user: { label: '/users/KEY', refusalScope: 'record' },
  groups: { label: '/groups', refusalScope: 'record' },
  auth: { label: '/auth', refusalScope: 'request' },
};

/** @param address the shop's, without a slash at its end */
function explainNotFound(route: Route, address: string, hasAnswered: boolean): NotFound {
  if (route === 'orders' || route === 'groups') {
    const advice = hasAnswered
      ? 'it has answered there before, so its address is right; run the command again later'
      : adviceFor(address);
    return [`nothing is at ${address}${BASE_PATH}${route}`, advice];
  }
  return ['the shop has no such address or record', 'check its address'];
}

function adviceFor(baseUrl: string): string {
  const path = URL.parse(baseUrl)?.pathname ?? '/';
  return path === '/'
    ? 'check its address'
    : `check its address: the API is below ${BASE_PATH} of that, so the path ${path} is probably not needed`;
}

/** Interprets answers with the help of earlier ones. */
function createReader(address: string, onBeside: (beside: string) => void) {
  let successes = 0;
  const answered = new Set<Route>();
  /** What status and headers alone say. */
  const judge = <Value>(
    { alsoReads, isWidest, method, route }: ApiRequest<Value>,
    head: ResponseHead,
    now: Temporal.Instant,
  ) => {
    const age = describeAge(head.headers);
    if (age !== undefined)
      return new TransientError(`${method} ${ROUTES[route].label}: ${age}`, { scope: 'record' });
    // That nothing is at the address looks like a list without rows, until it has answered.
    if (alsoReads === 'no rows' && saysNoRows(head) && (successes > 0 || isWidest !== true)) return undefined;
    if (alsoReads === 'anything') return judgePause(head, now);
    const notFound = () => explainNotFound(route, address, answered.has(route));
    return judgeStatus(head, now, notFound, ROUTES[route].refusalScope === 'shop' ? successes : 0);
  };
  return <Value>(request: ApiRequest<Value>): HttpRequest<Route, Value> => ({
    ...request,
    read(response, now) {
      const error = judge(request, response, now);
      if (error !== undefined) throw error;
      const answer = readAnswer(response);
      const read = request.read(answer);
      if (answer.beside !== undefined) onBeside(answer.beside);
      if (read.shop === 'working') successes++;
      if (response.status <= 299) answered.add(request.route);
      return read;
    },
  });
}

/** A shop that is up need not list anything; and it may be unable to show the first order of its list. */
const toProbe = (query: OrdersQuery): ApiRequest<unknown> => ({
  route: 'orders',
  method: 'GET',
  path: 'orders',
  query: toWireQuery(query),
  read: dataReader((value) => {
    const isError = hasMessage(value) && isJsonObject(value) && value['orders'] === undefined;
    return isError ? { mismatch: 'orders: must be there' } : { value };
  }),
});
