/**
 * Runs a benchmark, and with `--write` puts what it found into docs/benchmarks.md.
 *
 *   npm run bench -- NAME [--write] [--orders N,N] [--rounds N] [--seconds N] [--long]
 *
 * Without the others it measures what docs/benchmarks.md shows; `--orders 300 --rounds 1` shows quickly that it works.
 */
import { parseArgs } from 'node:util';

import type { Bench, BenchOptions } from './support/benchmark.ts';
import { reportText, writeReport } from './support/report.ts';

const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  latency: async () => (await import('./latency.ts')).latency,
  cpu: async () => (await import('./cpu.ts')).cpu,
  load: async () => (await import('./load.ts')).load,
  requests: async () => (await import('./requests.ts')).requests,
  memory: async () => (await import('./memory.ts')).memory,
  anywhere: async () => (await import('./anywhere.ts')).anywhere,
  growth: async () => (await import('./growth.ts')).growth,
  freshness: async () => (await import('./freshness.ts')).freshness,
  resume: async () => (await import('./resume.ts')).resume,
  'start-up': async () => (await import('./start-up.ts')).startUp,
  views: async () => (await import('./views.ts')).views,
  'scale-out': async () => (await import('./scale-out.ts')).scaleOut,
  size: async () => (await import('./size.ts')).size,
  export: async () => (await import('./export.ts')).exports,
  watching: async () => (await import('./watching.ts')).watching,
  visitors: async () => (await import('./visitors.ts')).visitors,
  limits: async () => (await import('./limits.ts')).limits,
  fairness: async () => (await import('./fairness.ts')).fairness,
  peers: async () => (await import('./peers.ts')).peers,
  exactness: async () => (await import('./exactness.ts')).exactness,
  sweeps: async () => (await import('./sweeps.ts')).sweeps,
  distribution: async () => (await import('./distribution.ts')).distribution,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    orders: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    long: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const [name = ''] = positionals;
const find = BENCHES[name];
if (find === undefined) {
  console.error(
    `npm run bench -- NAME [--write] [--orders N,N] [--rounds N] [--seconds N] [--long]\nNAME: ${Object.keys(BENCHES).join(', ')}`,
  );
  process.exitCode = 2;
} else {
  const options: BenchOptions = {
    orders: values.orders?.split(',').map(Number),
    rounds: values.rounds === undefined ? undefined : Number(values.rounds),
    seconds: values.seconds === undefined ? undefined : Number(values.seconds),
    isLong: values.long,
  };
  const bench = await find();
  const findings = await bench.run(options);
  const text = reportText(name, bench, options, findings);
  console.log(text);
  if (values.write) await writeReport(name, text);
  for (const failure of findings.failures ?? []) console.error(failure);
  if ((findings.failures ?? []).length > 0) process.exitCode = 1;
}
