/**
 * Runs a benchmark, and with `--write` puts what it found into docs/benchmarks.md.
 *
 *   npm run bench -- NAME [--write]
 */
import { type Report, reportText, writeReport } from './support/report.ts';

const BENCHES: Readonly<Record<string, () => Promise<{ run(): Promise<Report> }>>> = {
  latency: () => import('./latency.ts'),
  cpu: () => import('./cpu.ts'),
  load: () => import('./load.ts'),
  'start-up': () => import('./start-up.ts'),
  resume: () => import('./resume.ts'),
  peers: () => import('./peers.ts'),
};

const [name = '', flag] = process.argv.slice(2);
const found = BENCHES[name];
if (found === undefined) {
  console.error(`npm run bench -- NAME [--write], where NAME is one of ${Object.keys(BENCHES).join(', ')}`);
  process.exitCode = 2;
} else {
  const report = await (await found()).run();
  console.log(reportText(report));
  if (flag === '--write') await writeReport(name, report);
}
