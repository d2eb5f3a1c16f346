import { expect } from 'vitest';

/** More than 20 times what the slowest of them takes; work that grows with the square of its input takes longer. */
const AT_ONCE_MS = 10_000;

/** Counts processor time, in which a busy machine does not count. */
export function expectAtOnce(work: () => unknown): void {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000, 'milliseconds of processor time').toBeLessThan(AT_ONCE_MS);
}
