/** How long `export` takes for a large shop, in both formats, and how much of it each process works. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { EXPORT_FORMATS, type ExportFormat } from '../src/export/export-format.ts';
import { withClient } from '../test/support/database-clients.ts';
import { type Bench, type BenchOptions, type Findings, sizeOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { fillWarehouse, refreshAll } from './support/fill-warehouse.ts';
import { count, megabytes, seconds } from './support/format.ts';
import { runMeasured } from './support/measured-command.ts';
import { openWarehouse } from './support/open-warehouse.ts';
import { postgresCpuMs } from './support/process-cpu.ts';

const ORDERS = 1_000_000;
const WITHIN_MS = 60_000;
const PEAK_BYTES = 250_000_000;

export const exports: Bench = {
  title: (options) => `An export of ${count(sizeOr(options, ORDERS))} orders`,
  intro: (options) =>
    `\`export\` of one shop's two years, ${count(sizeOr(options, ORDERS))} orders of about three lines and three history entries, into an empty folder: ` +
    'the views that it writes unless told otherwise. The time is that of the whole process, the CPU time that of the program and of ' +
    `PostgreSQL. The goal at 1,000,000 orders is ${WITHIN_MS / 1_000} s and ${megabytes(PEAK_BYTES)} MB.`,
  columns: ['format', 'rows', 'files, MB', 's', 'program, CPU s', 'PostgreSQL, CPU s', 'peak RSS MB'],
  async run(options) {
    await using server = await openBenchServer();
    await using empty = await server.emptyDatabase();
    await fill(empty.url, options);
    const rows: (readonly string[])[] = [];
    const failures: string[] = [];
    for (const format of EXPORT_FORMATS) {
      const { row, failure } = await measure(empty.url, format, options);
      rows.push(row);
      failures.push(...failure);
    }
    return { rows, failures } satisfies Findings;
  },
};

async function fill(url: string, options: BenchOptions): Promise<void> {
  await using warehouse = await openWarehouse(url);
  await withClient(url, async (client) => {
    console.log(`filling ${count(sizeOr(options, ORDERS))} orders`);
    await fillWarehouse(client, { orders: sizeOr(options, ORDERS) });
    await refreshAll(client, warehouse.db);
    // As autovacuum does after a load.
    await client.query('VACUUM');
  });
}

async function measure(url: string, format: ExportFormat, options: BenchOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'order-sync-export-'));
  try {
    return await withClient(url, async (client) => {
      const before = await postgresCpuMs(client);
      const args = ['export', '--to', folder, '--format', format, '--json'];
      const { output, wallMs, cpuMs, peakBytes } = await runMeasured(args, { DATABASE_URL: url });
      const after = await postgresCpuMs(client);
      const serverMs = before === undefined || after === undefined ? '' : seconds(after - before);
      const { rows, bytes } = JSON.parse(output) as { readonly rows: number; readonly bytes: number };
      const isGoal = sizeOr(options, ORDERS) === ORDERS;
      const missed = isGoal && (wallMs > WITHIN_MS || peakBytes > PEAK_BYTES);
      return {
        row: [
          format,
          count(rows),
          megabytes(bytes),
          seconds(wallMs),
          seconds(cpuMs),
          serverMs,
          megabytes(peakBytes),
        ],
        failure: missed ? [`${format}: ${seconds(wallMs)} s and ${megabytes(peakBytes)} MB`] : [],
      };
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}
