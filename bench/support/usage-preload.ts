/** Loaded into a measured process with `--import`: leaves what it used in the file of ORDER_SYNC_USAGE when it ends. */
import { writeFileSync } from 'node:fs';

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = { cpuMs: (userCPUTime + systemCPUTime) / 1_000, peakBytes: maxRSS * 1_024 };
  writeFileSync(process.env['ORDER_SYNC_USAGE'] ?? '/dev/null', JSON.stringify(usage));
});
