/** HTTP to a shop of this platform: where its API is, credentials, routes, and how to probe whether it is up. */
import { createHttpClient, type HttpClient, type RequestCounts as HttpCounts } from '../http/http-client.ts';
import type { EndedAttempt as HttpEndedAttempt, HttpLimits } from '../http/http-options.ts';
import type { RoutePolicies, RoutePolicy } from '../http/request.ts';
import type { ApiRequest, Route } from './api-request.ts';
import { toWireQuery } from './endpoints/list-orders.ts';
import { createProbeQueries } from './probe-queries.ts';
import { readAnyJson } from './wire-schemas.ts';

export type ShopApiOptions = HttpLimits & {
  /** The shop's address, such as `https://shop.example`. */
  readonly baseUrl: string;
  readonly login: string;
  readonly apiKey: string;
  /** Called at the end of every attempt. */
  readonly onAttempt?: (ended: EndedAttempt) => void;
};

export type EndedAttempt = HttpEndedAttempt<Route>;
export type RequestCounts = HttpCounts<Route>;

/** The path of the API below the shop's address. */
const BASE_PATH = '/adm/api/';

const RECORD = {
  refusalScope: 'record',
  notFound: ['the shop has no such address or record', 'check SHOP_URL'],
  tooLargeAdvice: 'check that record in the shop',
} as const satisfies Omit<RoutePolicy, 'label'>;

/** @param baseUrl the shop's address, without a slash at its end */
function routesOf(baseUrl: string): RoutePolicies<Route> {
  const notFound = (path: string) =>
    [`nothing is at ${baseUrl}${BASE_PATH}${path}`, adviceFor(baseUrl)] as const;
  return {
    orders: {
      label: '/orders',
      refusalScope: 'shop',
      notFound: notFound('orders'),
      tooLargeAdvice: 'lower SHOP_PAGE_LIMIT',
    },
    content: { label: '/orders/ID', ...RECORD },
    user: { label: '/users/KEY', ...RECORD },
    groups: { label: '/groups', ...RECORD, notFound: notFound('groups') },
    auth: { ...RECORD, label: '/auth', refusalScope: 'request' },
  };
}

function adviceFor(baseUrl: string): string {
  const path = URL.parse(baseUrl)?.pathname ?? '/';
  return path === '/'
    ? 'check SHOP_URL'
    : `check SHOP_URL: the API is below ${BASE_PATH} of the shop's address, so its path ${path} is probably not needed`;
}

/** An HTTP client for one shop's API. */
export function createShopHttp({ login, apiKey, baseUrl, ...options }: ShopApiOptions): HttpClient<Route> {
  const address = baseUrl.replace(/\/+$/, '');
  return createHttpClient({
    ...options,
    baseUrl: address + BASE_PATH,
    headers: { authorization: `Basic ${Buffer.from(`${login}:${apiKey}`).toString('base64')}` },
    routes: routesOf(address),
    probeRequests: () => createProbeQueries(Temporal.Now.plainDateTimeISO('UTC')).map(toProbe),
  });
}

function toProbe(query: Parameters<typeof toWireQuery>[0]): ApiRequest<unknown> {
  return {
    route: 'orders',
    method: 'GET',
    path: 'orders',
    query: toWireQuery(query),
    readShape: readAnyJson,
  };
}
