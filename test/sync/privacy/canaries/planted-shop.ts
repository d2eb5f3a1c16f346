/** The simulated shop with the planted orders, behind a server that answers for the account and the groups. */
import { createServer } from 'node:http';

import { startSimulator } from '../../../../src/simulator/server.ts';
import { listen } from '../../../support/listen.ts';
import { ACCOUNT, GROUPS, NAMED_GROUP, ORDERS, PROFILE, STRANGER } from './planted.ts';

export async function startPlantedShop() {
  await using stack = new AsyncDisposableStack();
  const simulator = stack.use(await startSimulator({ orders: ORDERS.length + 10, days: 6, seed: 3 }));
  const { shop } = simulator;
  const ids = shop.orders().map(({ orderId }) => orderId);
  const planted = ORDERS.map(({ change, row, line }, at) => {
    const orderId = ids[at] ?? 0;
    shop.editOrder(orderId, change);
    shop.setRaw(orderId, row);
    shop.setRawContent(orderId, [line]);
    return orderId;
  });
  shop.editOrder(ids[ORDERS.length] ?? 0, STRANGER);
  const own = async (path: URL) => {
    if (path.pathname.endsWith(`/users/${ACCOUNT}`)) return PROFILE;
    if (path.pathname.endsWith('/groups'))
      return path.searchParams.get('parent_oid') === '0' ? [...GROUPS, NAMED_GROUP] : [];
    return undefined;
  };
  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? '/', simulator.url);
      const found = await own(url);
      const headers = {
        authorization: request.headers.authorization ?? '',
        'content-type': 'application/json',
      };
      const answer = found ? Response.json(found) : await fetch(url, { headers });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    })();
  });
  const { url } = stack.use(await listen(server));
  const opened = stack.move();
  return {
    url,
    simulator,
    planted,
    /** From now on, orders have a field that nobody knows, with the name of the person in it. */
    addField(field: string) {
      for (const [at, { change, row }] of ORDERS.entries())
        shop.setRaw(planted[at] ?? 0, { ...row, [field]: `für ${change.fio}` });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
