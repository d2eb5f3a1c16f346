/** Serves many simulated shops in one process, for `many-shops.ts`: `serve-shops.ts COUNT ORDERS DAYS LATENCY_MS`. */
import { type Simulator, startSimulator } from '../../src/simulator/server.ts';

const [count = 0, orders = 0, days = 0, latencyMs = 0] = process.argv.slice(2).map(Number);
const shops: Simulator[] = [];
for (let seed = 1; seed <= count; seed++) {
  shops.push(await startSimulator({ orders, days, latencyMs, seed, admin: true }));
}
// What it is asked for is always the same: the list requests until now.
process.on('message', () => {
  process.send?.(shops.reduce((sum, { requests }) => sum + requests.count('orders'), 0));
});
process.on('disconnect', () => process.exit());
process.send?.(shops.map(({ url }) => url));
