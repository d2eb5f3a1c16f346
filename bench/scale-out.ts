/**
 * How much more three workers do than one, where the shops answer in 50 ms and are asked at most ten times a second:
 * the time until every shop of a fleet is complete.
 *
 *   npm run bench:scale-out
 */
import { openLab, untilEqual } from '../test/support/fleet-lab.ts';
import { openBenchServer } from './database.ts';

const SHOPS = 36;
const ORDERS = 60;

await using server = await openBenchServer();
console.log(`${SHOPS} shops of ${ORDERS} orders, 50 ms an answer, 10 requests a second each; ${server.name}`);
const seconds: number[] = [];
for (const workers of [1, 3]) {
  await using lab = await openLab(await server.emptyDatabase(), SHOPS, {
    orders: ORDERS,
    days: 30,
    latencyMs: 50,
  });
  const began = performance.now();
  const running = Array.from({ length: workers }, () => lab.startWorker());
  await Promise.all(running.map(({ url }) => url));
  await untilEqual(lab, 600_000);
  const took = (performance.now() - began) / 1000;
  const requests = lab.shops.reduce((sum, { simulator }) => sum + simulator.requests.count(), 0);
  seconds.push(took);
  console.log(
    `${workers} worker${workers > 1 ? 's' : ''}: ${took.toFixed(1)} s, ${(requests / took).toFixed(0)} requests/s`,
  );
}
const [one = 0, three = 0] = seconds;
console.log(`three workers do ${(one / three).toFixed(2)} times the work of one`);
