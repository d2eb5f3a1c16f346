import type { RequestLog } from '../../src/simulator/api/request-log.ts';

/** One request of the orders list: its position and dates (undefined where not sent), and every parameter as sent. */
export type ListRequest = Readonly<Record<string, string | number | undefined>> & {
  readonly start: number | undefined;
  readonly limit: number | undefined;
  readonly dateFrom: string | undefined;
  readonly dateTo: string | undefined;
};

/** @returns the list requests that come from now on, oldest first; it grows with each */
export function watchLists(requests: Pick<RequestLog, 'onRequest'>): readonly ListRequest[] {
  const lists: ListRequest[] = [];
  const number = (value: string | undefined) => (value === undefined ? undefined : Number(value));
  requests.onRequest(({ route, query }) => {
    if (route !== 'orders') return;
    const position = { start: number(query['start']), limit: number(query['limit']) };
    lists.push({ ...query, ...position, dateFrom: query['date_from'], dateTo: query['date_to'] });
  });
  return lists;
}
