/** HTTP to a shop of this platform: where its API is, credentials, routes, and how to probe whether it is up. */
import { createHttpClient, type HttpClient, type RequestCounts as HttpCounts } from '../http/http-client.ts';
import type { EndedAttempt as HttpEndedAttempt, HttpLimits } from '../http/http-options.ts';
import type { HttpRequest, RoutePolicies } from '../http/request.ts';
import { type SettingNames, TransientError, withSettingNames } from '../errors.ts';
import { isJsonObject } from '../json.ts';
import type { ApiClient, ApiRequest, Route } from './wire/api-request.ts';
import { toWireQuery } from './endpoints/list-orders.ts';
import { createProbeQueries, createUncachedQuery } from './probe-queries.ts';
import { type AgeSigns, AnswerAges } from './wire/response-age.ts';
import { explainLateRefusal, hasMessage, type NotFound, readResponse } from './wire/read-response.ts';

export type ShopApiOptions = HttpLimits & {
  /** The shop's address, such as `https://shop.example`. */
  readonly baseUrl: string;
  readonly login: string;
  readonly apiKey: string;
  /** How messages name the settings. @default as in the environment */
  readonly settingNames?: SettingNames | undefined;
  /** Called with the host of a redirect that is not followed. */
  readonly onRedirect?: (host: string) => void;
  /** Called at the end of every attempt. */
  readonly onAttempt?: (ended: EndedAttempt) => void;
};

export type EndedAttempt = HttpEndedAttempt<Route>;
export type RequestCounts = HttpCounts<Route>;

/** The path of the API below the shop's address. */
const BASE_PATH = '/adm/api/';

const RECORD = { refusalScope: 'record', tooLargeAdvice: 'check that record in the shop' } as const;

const ROUTES: RoutePolicies<Route> = {
  orders: { label: '/orders', refusalScope: 'shop', tooLargeAdvice: 'lower SHOP_PAGE_LIMIT' },
  content: { label: '/orders/ID', ...RECORD },
  user: { label: '/users/KEY', ...RECORD },
  groups: { label: '/groups', ...RECORD },
  auth: { ...RECORD, label: '/auth', refusalScope: 'request' },
};

/** @param address the shop's, without a slash at its end */
function explainNotFound(route: Route, address: string): NotFound {
  if (route === 'orders' || route === 'groups') {
    return [`nothing is at ${address}${BASE_PATH}${route}`, adviceFor(address)];
  }
  return ['the shop has no such address or record', 'check SHOP_URL'];
}

function adviceFor(baseUrl: string): string {
  const path = URL.parse(baseUrl)?.pathname ?? '/';
  return path === '/'
    ? 'check SHOP_URL'
    : `check SHOP_URL: the API is below ${BASE_PATH} of the shop's address, so its path ${path} is probably not needed`;
}

/** An HTTP client for one shop's API. */
export function createShopHttp(options: ShopApiOptions): Omit<HttpClient<Route>, 'send'> & ApiClient {
  const { login, apiKey, baseUrl } = options;
  const address = baseUrl.replace(/\/+$/, '');
  const ages = new AnswerAges(async (signal) => {
    const { signs } = await http.send(toHttp({ ...toProbe(createUncachedQuery()), signal }));
    return signs;
  });
  const toHttp = createReader(address, ages);
  const http = createHttpClient({
    ...options,
    baseUrl: address + BASE_PATH,
    headers: { authorization: `Basic ${Buffer.from(`${login}:${apiKey}`).toString('base64')}` },
    routes: ROUTES,
    probeRequests: () =>
      createProbeQueries(Temporal.Now.plainDateTimeISO('UTC')).map((query) => toHttp(toProbe(query))),
  });
  return {
    counts: http.counts,
    resume: (found) => http.resume(found),
    get health() {
      return http.health;
    },
    get charset() {
      return http.charset;
    },
    async send(request) {
      const { value, signs } = await http.send(toHttp(request)).catch((error: unknown) => {
        throw withSettingNames(error, options.settingNames);
      });
      const { method, route, signal, whenOutdated } = request;
      const reason = await ages.explain(signs, whatOf(route), signal);
      if (reason === undefined) return value;
      if (whenOutdated !== undefined) return whenOutdated(value, reason);
      throw new TransientError(`${method} ${ROUTES[route].label}: ${reason}`, { scope: 'record' });
    },
  };
}

const whatOf = (route: Route) => (route === 'orders' ? 'a list' : 'a record');

type Dated<Value> = { readonly value: Value; readonly signs: AgeSigns };

/** Makes requests read what they are answered with, in the light of what was answered before. */
function createReader(address: string, ages: AnswerAges) {
  let successes = 0;
  return <Value>(request: ApiRequest<Value>): HttpRequest<Route, Dated<Value>> => {
    const { route, readShape, read: readAny } = request;
    const readOne: HttpRequest<Route, Value>['read'] =
      readAny ??
      ((response, now) => {
        const notFound = explainNotFound(route, address);
        return { value: readResponse(response, readShape, now, notFound), shop: 'working' };
      });
    const read: HttpRequest<Route, Dated<Value>>['read'] = (response, now) => {
      const { headers } = response;
      const signs = { age: headers.get('age'), date: headers.get('date'), at: now };
      try {
        const { value, shop } = readOne(response, now);
        if (shop === 'working') successes++;
        return { value: { value, signs }, shop };
      } catch (error) {
        const outdated = ages.describe(signs, whatOf(route));
        // What is not there may be there by now.
        if (response.status === 404 && outdated !== undefined) {
          throw new TransientError(outdated, { scope: 'record' });
        }
        throw ROUTES[route].refusalScope === 'shop' ? explainLateRefusal(error, successes) : error;
      }
    };
    return { ...request, read };
  };
}

function toProbe(query: Parameters<typeof toWireQuery>[0]): ApiRequest<unknown> {
  return {
    route: 'orders',
    method: 'GET',
    path: 'orders',
    query: toWireQuery(query),
    // A shop that is up need not list anything.
    readShape: (value) => {
      const isError = hasMessage(value) && isJsonObject(value) && value['orders'] === undefined;
      return isError ? { mismatch: 'orders: must be there' } : { value };
    },
  };
}
