/** How many sweeps workers make, what each costs, and how many connections they hold. */
import { setTimeout as sleep } from 'node:timers/promises';

import { type Lab, openLab, untilEqual } from '../test/support/fleet-lab.ts';
import { type Bench, sizeOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { seconds } from './support/format.ts';
import { postgresCpuMs } from './support/process-cpu.ts';

const SHOPS = 36;
const ORDERS = 60;
const SECONDS = 20;
const WORKERS = [1, 2, 3];
/** Per shop; the simulated one responds at once. */
const SETTINGS = { freshness: '*:1s', maxRps: 10_000 };

export const sweeps: Bench = {
  title: () => 'Sweeps of many shops',
  intro: (options) =>
    `${SHOPS} shops of ${sizeOr(options, ORDERS)} orders that are always due, respond at once, and do not change: workers sweep as fast as the machine allows, ` +
    `watched for ${options.seconds ?? SECONDS} s. PostgreSQL's time per sweep says how many sweeps one of its cores can serve, whatever the number of workers. ` +
    'Connections are the most that one worker held.',
  columns: ['workers', 'sweeps/s', 'sweeps/s and worker', 'PostgreSQL ms/sweep', 'connections'],
  async run(options) {
    await using server = await openBenchServer();
    const rows: string[][] = [];
    for (const workers of WORKERS) {
      const shops = { orders: sizeOr(options, ORDERS), days: 30 };
      await using lab = await openLab(await server.emptyDatabase(), SHOPS, shops, SETTINGS);
      const running = Array.from({ length: workers }, () => lab.startWorker());
      await Promise.all(running.map(({ url }) => url));
      await untilEqual(lab, 600_000);
      rows.push([String(workers), ...(await watch(lab, workers, options.seconds ?? SECONDS))]);
    }
    return { rows };
  },
};

async function watch(lab: Lab, workers: number, watchedS: number): Promise<readonly string[]> {
  const [before, cpuBefore, began] = [
    await countSweeps(lab),
    await postgresCpuMs(lab.client),
    performance.now(),
  ];
  let connections = 0;
  for (let second = 0; second < watchedS; second += 1) {
    await sleep(1_000);
    connections = Math.max(connections, await mostConnections(lab));
  }
  const tookMs = performance.now() - began;
  const made = (await countSweeps(lab)) - before;
  const cpuMs = await postgresCpuMs(lab.client);
  const rate = made / (tookMs / 1_000);
  const cost = cpuMs === undefined || cpuBefore === undefined ? '' : ((cpuMs - cpuBefore) / made).toFixed(1);
  return [rate.toFixed(1), seconds((rate / workers) * 1_000), cost, String(connections)];
}

/** Each sweep takes its shop's lease anew. */
async function countSweeps({ client }: Lab): Promise<number> {
  const { rows } = await client.query<{ epochs: number }>('SELECT sum(epoch)::int AS epochs FROM ops.leases');
  return rows[0]?.epochs ?? 0;
}

async function mostConnections({ client }: Lab): Promise<number> {
  const { rows } = await client.query<{ most: number }>(`
    SELECT coalesce(max(n), 0)::int AS most FROM (
      SELECT count(*) AS n FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name <> ''
      GROUP BY substring(application_name FROM '[0-9]+$')
    ) AS workers`);
  return rows[0]?.most ?? 0;
}
